/**
 * Finds the Parquet files of a split of a subset.
 *
 * Files of the repository itself come first: those that its README lists for the subset, or those in the usual places. Next are
 * the files into which the hub converts other formats, on a separate branch.
 */
import { parse } from 'yaml'
import { HubRefusal } from './failures.ts'
import type { HubClient } from './hub-client.ts'
import { isObject } from './hub-features.ts'

/** Folders of this branch are subsets, and their subfolders are splits. */
export const CONVERTED_BRANCH = 'refs/convert/parquet'

export interface SplitFiles {
  /** Commit hash. */
  revision: string
  paths: string[]
}

interface Place {
  name: string
  subset: string
  split: string
}

export async function findSplit(hub: HubClient, place: Place): Promise<SplitFiles> {
  const { name, subset, split } = place
  const main = await hub.findCommit(name, 'main')
  if (main !== null) {
    const [all, readme] = [await hub.listPaths(name, main), await hub.findText(name, main, 'README.md')]
    const paths = listRepositoryFiles(all, readme ?? '', place)
    if (paths.length > 0) return { revision: main, paths }
  }
  const converted = await hub.findCommit(name, CONVERTED_BRANCH)
  if (converted !== null) {
    const paths = listConvertedFiles(await hub.listPaths(name, converted), place)
    if (paths.length > 0) return { revision: converted, paths }
  }
  throw new HubRefusal(`\`${name}\` has no Parquet files for subset \`${subset}\` and split \`${split}\``)
}

/** The hub converts large datasets only partially. */
export const listConvertedFiles = (all: readonly string[], { subset, split }: Place): string[] =>
  toSorted(all.filter(path => [split, `partial-${split}`].some(folder => path.startsWith(`${subset}/${folder}/`))))

export function listRepositoryFiles(all: readonly string[], readme: string, { subset, split }: Place): string[] {
  const configs = readConfigs(readme)
  const named = configs.find(config => config.config_name === subset)
  // A README that lists subsets lists all of them.
  if (configs.length > 0 && !named) return []
  const patterns = named === undefined ? usualPlaces(subset, split) : patternsOf(named, split)
  for (const pattern of patterns) {
    const found = all.filter(path => pattern.some(each => matches(path, each)))
    if (found.length > 0) return toSorted(found)
  }
  return []
}

const toSorted = (paths: readonly string[]) => paths.filter(path => path.endsWith('.parquet')).sort()

interface HubConfig {
  config_name?: unknown
  data_files?: unknown
  data_dir?: unknown
}

/** Returns `configs` from the YAML front matter of a README. */
function readConfigs(readme: string): HubConfig[] {
  const { configs } = readFrontMatter(readme)
  return Array.isArray(configs) ? configs.filter(isObject) : []
}

export function readFrontMatter(readme: string): Record<string, unknown> {
  const text = /^\ufeff?---[ \t]*\r?\n([\s\S]*?\r?\n)?---[ \t]*(\r?\n|$)/.exec(readme)?.[1]
  if (text === undefined) return {}
  try {
    const matter: unknown = parse(text, { maxAliasCount: 100 })
    return isObject(matter) ? matter : {}
  } catch {
    // Invalid YAML is ignored; the hub displays such a README too.
    return {}
  }
}

export interface NamedConfig extends HubConfig {
  name: string
}

/** Returns the subsets listed in a README. */
export const configsOf = (readme: string): NamedConfig[] =>
  readConfigs(readme).flatMap(config => (typeof config.config_name === 'string' ? [{ ...config, name: config.config_name }] : []))

/** Returns the splits for which a README lists files, or null if it relies on file names. */
export function splitsOf({ data_files }: HubConfig): string[] | null {
  if (data_files === undefined) return null
  const named = [data_files].flat().filter(isObject)
  const splits = named.flatMap(({ split }) => (typeof split === 'string' ? [split] : []))
  return toList(data_files).length > 0 ? ['train', ...splits] : splits
}

const toList = (value: unknown): string[] => [value].flat().filter(entry => typeof entry === 'string')

/** Returns groups of patterns, tried one after the other; the patterns of a group apply together. */
function patternsOf({ data_files, data_dir }: HubConfig, split: string): string[][] {
  const folder = typeof data_dir === 'string' ? `${data_dir.replace(/\/+$/, '')}/` : ''
  const within = (patterns: string[]) => patterns.map(pattern => folder + pattern.replace(/^\.?\//, ''))
  const entries = [data_files].flat()
  const ofSplit = entries.filter(isObject).filter(entry => entry.split === split)
  if (ofSplit.length > 0) return [within(ofSplit.flatMap(({ path }) => toList(path)))]
  // Files without a split belong to `train`.
  const plain = within(toList(data_files))
  if (plain.length > 0) return split === 'train' ? [plain] : []
  return data_files === undefined ? usualFiles(split).map(pattern => within(pattern)) : []
}

const usualFiles = (split: string): string[][] => [
  [`data/${split}-*`, `data/${split}.parquet`, `data/${split}/**`],
  [`${split}-*`, `${split}.parquet`, `${split}/**`],
]

/** Where the library and users usually put the files of a split if the README does not say so. */
const usualPlaces = (subset: string, split: string): string[][] =>
  subset === 'default' ? usualFiles(split) : [[`${subset}/${split}-*`, `${subset}/${split}.parquet`, `${subset}/${split}/**`]]

/**
 * Glob matching: `*` and `?` stay within a folder, `**` does not, everything else is literal. Bounded time: each pair of path
 * segment and pattern part is compared once.
 */
export function matches(path: string, pattern: string): boolean {
  const names = path.split('/')
  /** Indexes of the path segments that may come next, after the parts so far. */
  let next = new Set([0])
  const parts = pattern.split('/').filter(part => part !== '')
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1
    if (part === '**') {
      const first = Math.min(...next)
      // As the last part, `**` matches everything below the folder, but not the folder itself.
      if (isLast) return first < names.length
      next = new Set(names.slice(first).map((_, offset) => first + offset))
    } else next = new Set([...next].filter(at => matchName(names[at] ?? '', part) && at < names.length).map(at => at + 1))
    if (next.size === 0) return false
  }
  return next.has(names.length)
}

function matchName(name: string, part: string): boolean {
  const [first = '', ...pieces] = part.split('*')
  if (pieces.length === 0) return name.length === first.length && startsAs(name, first, 0)
  if (!startsAs(name, first, 0)) return false
  const last = pieces.pop() ?? ''
  let at = first.length
  for (const piece of pieces) {
    while (at + piece.length <= name.length && !startsAs(name, piece, at)) at++
    if (at + piece.length > name.length) return false
    at += piece.length
  }
  return name.length - last.length >= at && startsAs(name, last, name.length - last.length)
}

const startsAs = (name: string, piece: string, at: number): boolean =>
  at + piece.length <= name.length &&
  Array.from({ length: piece.length }).every((_, index) => {
    return piece[index] === '?' || piece[index] === name[at + index]
  })
