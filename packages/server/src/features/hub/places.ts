/** Lists the subsets and splits of a dataset on the hub that imports can read (`sources.ts`). */
import { HubRefusal } from './failures.ts'
import type { HubClient } from './hub-client.ts'
import { CONVERTED_BRANCH, configsOf, listConvertedFiles, listRepositoryFiles, type SplitFiles, splitsOf } from './sources.ts'

/** Limits of the listing: a page cannot present more than this usefully. */
const SUBSETS_MAX = 500
const SPLITS_MAX = 100

export interface Subset {
  name: string
  splits: string[]
}

export interface Places {
  subsets: Subset[]
  /** Returns the files of a split, or null if there is no such split. */
  filesOf(subset: string, split: string): SplitFiles | null
}

interface Branch {
  revision: string
  subsets: Subset[]
  pathsOf(subset: string, split: string): string[]
}

export async function listPlaces(hub: HubClient, name: string): Promise<Places> {
  const branches = [await readRepositoryBranch(hub, name), await readConvertedBranch(hub, name)].filter(branch => branch !== null)
  const subsets = merge(branches.map(branch => branch.subsets))
  if (subsets.length === 0) throw new HubRefusal(`\`${name}\` has no Parquet files, and the hub has not converted it to Parquet`)
  return {
    subsets,
    filesOf: (subset, split) => {
      for (const { revision, pathsOf } of branches) {
        const paths = pathsOf(subset, split)
        if (paths.length > 0) return { revision, paths }
      }
      return null
    },
  }
}

async function readRepositoryBranch(hub: HubClient, name: string): Promise<Branch | null> {
  const revision = await hub.findCommit(name, 'main')
  if (revision === null) return null
  const [all, readme] = [await hub.listPaths(name, revision), (await hub.findText(name, revision, 'README.md')) ?? '']
  const pathsOf = (subset: string, split: string) => listRepositoryFiles(all, readme, { name, subset, split })
  return { revision, subsets: keepReadable(listRepositorySubsets(all, readme), pathsOf), pathsOf }
}

async function readConvertedBranch(hub: HubClient, name: string): Promise<Branch | null> {
  const revision = await hub.findCommit(name, CONVERTED_BRANCH)
  if (revision === null) return null
  const all = await hub.listPaths(name, revision)
  const pathsOf = (subset: string, split: string) => listConvertedFiles(all, { name, subset, split })
  const subsets = toSubsets(
    all.flatMap(path => {
      const [subset = '', split = '', file] = path.split('/')
      return file === undefined ? [] : [[subset, split.replace(/^partial-/, '')] as const]
    }),
  )
  return { revision, subsets: keepReadable(subsets, pathsOf), pathsOf }
}

/** Returns the subsets listed in the README, or else those derived from files in the usual places. */
export function listRepositorySubsets(all: readonly string[], readme: string): Subset[] {
  const configs = configsOf(readme)
  const guessed = all.flatMap(guessPlaces)
  if (configs.length === 0) return toSubsets(guessed)
  const splits = [...new Set(guessed.map(([, split]) => split))]
  return configs.map(config => ({ name: config.name, splits: splitsOf(config) ?? splits }))
}

/** Folders with these names are splits; other folders next to `data` are subsets. */
const SPLIT_FOLDERS = /^(train|training|validation|valid|val|dev|test|testing|eval|evaluation)$/i
const SPLIT_FILE = /^(\w+(?:\.\w+)*?)(?:-.*)?\.parquet$/

/** Returns subset and split of a file in one of the places listed by `usualPlaces`. */
function guessPlaces(path: string): (readonly [subset: string, split: string])[] {
  const names = path.split('/')
  const [first = '', second = ''] = names
  const split = SPLIT_FILE.exec(names.at(-1) ?? '')?.[1]
  if (split === undefined) return []
  if (names.length === 1) return [['default', split]]
  if (SPLIT_FOLDERS.test(first)) return [['default', first]]
  return [[first === 'data' ? 'default' : first, names.length === 2 ? split : second]]
}

const keepReadable = (subsets: readonly Subset[], pathsOf: Branch['pathsOf']): Subset[] =>
  subsets
    .slice(0, SUBSETS_MAX)
    .map(({ name, splits }) => ({ name, splits: splits.slice(0, SPLITS_MAX).filter(split => pathsOf(name, split).length > 0) }))
    .filter(({ splits }) => splits.length > 0)

function toSubsets(places: readonly (readonly [string, string])[]): Subset[] {
  const bySubset = Map.groupBy(places, ([subset]) => subset)
  return Array.from(bySubset, ([name, found]) => ({ name, splits: [...new Set(found.map(([, split]) => split))] }))
}

/** Subsets of the first branch come first. */
function merge(all: readonly Subset[][]): Subset[] {
  const bySubset = new Map<string, Set<string>>()
  for (const { name, splits } of all.flat()) bySubset.set(name, new Set([...(bySubset.get(name) ?? []), ...splits]))
  return Array.from(bySubset, ([name, splits]) => ({ name, splits: inOrder([...splits]) }))
}

/** Conventional order, starting with the training split. */
const FIRST = ['train', 'validation', 'test']
const inOrder = (splits: string[]) =>
  splits.sort((a, b) => {
    const [left, right] = [a, b].map(split => (FIRST.indexOf(split) + FIRST.length + 1) % (FIRST.length + 1)) as [number, number]
    return left - right || (a < b ? -1 : 1)
  })
