/**
 * Writes the table of characters that look alike from Unicode's `confusables.txt`:
 * `node scripts/confusables.ts confusables.txt`, with the file from https://www.unicode.org/Public/security/.
 *
 * Stored names carry a skeleton that was computed with the table. A new table therefore needs a migration that computes them again.
 */
import { readFileSync, writeFileSync } from 'node:fs'

const TARGET = new URL('../packages/domain/src/confusables-table.ts', import.meta.url)
const LINE_LENGTH = 150

const text = readFileSync(process.argv[2] ?? 'confusables.txt', 'utf8')
const version = /^# Version: ([\d.]+)/m.exec(text)?.[1]
if (version === undefined) throw new Error('This is not a confusables.txt: it does not name its version.')

const toText = (codes: string) => String.fromCodePoint(...codes.split(' ').map(code => Number.parseInt(code, 16)))
const toCodes = (given: string) => [...given].map(char => char.codePointAt(0) as number)

/** Sources by what they look like. A source that decomposes, or is ignored, never reaches the table. */
const sources = new Map<string, number[]>()
for (const [, from = '', to = ''] of text.matchAll(/^([0-9A-F]+)\s*;\s*([0-9A-F ]+?)\s*;\s*MA/gm)) {
  const source = toText(from)
  if (source.normalize('NFD') !== source || /\p{Default_Ignorable_Code_Point}/u.test(source)) continue
  const target = toText(to).normalize('NFD')
  sources.set(target, [...(sources.get(target) ?? []), ...toCodes(source)])
}

/** Sources are ascending: the first in base 36, the others as the difference to the one before. */
const groups = Array.from(sources, ([target, codes]) => {
  const steps = codes.toSorted((a, b) => a - b).map((code, index, all) => (code - (all[index - 1] ?? 0)).toString(36))
  return `${toCodes(target)
    .map(code => code.toString(36))
    .join('+')}=${steps.join(',')}`
})

const lines: string[] = []
for (const group of groups) {
  const last = lines.at(-1)
  if (last !== undefined && last.length + group.length < LINE_LENGTH) lines[lines.length - 1] = `${last} ${group}`
  else lines.push(group)
}

writeFileSync(
  TARGET,
  `/**
 * Characters that look alike, from confusables.txt of Unicode ${version} (see NOTICE). Made by scripts/confusables.ts; do not edit.
 *
 * Each group is \`target=sources\`. Code points are in base 36; each source after the first is the difference to the one before.
 */
export const CONFUSABLES = \`
${lines.join('\n')}
\`
`,
)
