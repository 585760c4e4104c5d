/** The licence of an npm package, with all texts that its copies must carry. Fails if a licence or a text is not known. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Licences that may be combined with Apache-2.0: permissive ones, font licences, and the MPL, which covers only its own files.
 */
const ALLOWED = new Set('0BSD Apache-2.0 BSD-2-Clause BSD-3-Clause CC0-1.0 ISC MIT MPL-2.0 OFL-1.1'.split(' '))

/** True if `license` is an allowed one or lets us choose one. */
export const isAllowed = (license: unknown) =>
  typeof license === 'string' &&
  license
    .replace(/[()]/g, '')
    .split(' OR ')
    .some(one => ALLOWED.has(one))

/** Packages with a choice of licences: the licence that we use, and its file. */
const CHOSEN_LICENCES: Readonly<Record<string, { license: string; file: string }>> = {
  dompurify: { license: 'Apache-2.0', file: 'LICENSE' },
}

/** For files with more than the licence of the package itself: the heading at which the rest begins. */
const ENDS_BEFORE: Readonly<Record<string, string>> = { vite: '# Licenses of bundled dependencies' }

/** Such a file is not a text, whatever its name: clients have a `license.js` for a route of that name. */
const IS_PROGRAM = /\.(?:[cm]?[jt]sx?|json|map)$/i

/** Texts that packages should contain and do not, from their repositories. `/` in a name is `+` in the file name. */
const ADDED_TEXTS = fileURLToPath(new URL('licences/', import.meta.url))

export interface Notice {
  name: string
  version: string
  license: string
  text: string
}

export const readManifest = (folder: string): { name: string; version: string; license?: unknown; dependencies?: object } =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

/** `folder` is that of an installed package. */
export function toNotice(folder: string): Notice {
  const { name, version, license } = readManifest(folder)
  if (typeof license !== 'string') throw new Error(`${name} does not name its licence`)
  const chosen = CHOSEN_LICENCES[name]
  if (!chosen && /\bOR\b/i.test(license)) throw new Error(`${name} is under ${license}: choose one in CHOSEN_LICENCES`)
  if (!isAllowed(chosen?.license ?? license)) throw new Error(`${name} is under ${license}, which is not an allowed licence`)
  const texts = listTexts(folder, name, chosen?.file)
  if (texts.length === 0) throw new Error(`${name} has no licence text: add it as scripts/licences/${name.replace('/', '+')}.txt`)
  return { name, version, license: chosen ? `${chosen.license}, chosen from ${license}` : license, text: texts.join('\n\n') }
}

function listTexts(folder: string, name: string, chosenFile: string | undefined): string[] {
  const files = globSync('**/*', { cwd: folder, exclude: path => /(?:^|[\\/])node_modules$/.test(path) })
    .filter(path => !IS_PROGRAM.test(path))
    .sort()
  const own = files.filter(path => /^(licen[cs]e|copying)(-\w+)?(\.\w+)?$/i.test(path))
  // NOTICE files must be included too (Apache License 2.0, section 4d), as must the licences of copied code.
  const others = files.filter(path => /^(notice|third-party-licen[cs]es?)(\.\w+)?$|[\\/]licen[cs]e(-\w+)?(\.\w+)?$/i.test(path))
  const read = (path: string) => tidyText(readFileSync(join(folder, path), 'utf8').split(ENDS_BEFORE[name] ?? '\0')[0] ?? '')
  const texts = [...(chosenFile === undefined ? own : [chosenFile]), ...others].map(read)
  if (own.length === 0) texts.push(...files.filter(path => /^readme(\.\w+)?$/i.test(path)).flatMap(path => inReadme(read(path))))
  const added = join(ADDED_TEXTS, `${name.replace('/', '+')}.txt`)
  if (existsSync(added)) texts.push(tidyText(readFileSync(added, 'utf8')))
  return [...new Set(texts)]
}

/** Returns the section with the licence if it has the whole text, which some packages keep nowhere else. */
function inReadme(text: string): string[] {
  const [, section = ''] = /^#+ *licen[cs]e *\n([\s\S]*?)(?=\n#|$(?![\s\S]))/im.exec(text) ?? []
  return /without warranty of any kind|disclaims all warranties/i.test(section) ? [tidyText(section)] : []
}

/** Normalizes differences between editors and systems. */
const tidyText = (text: string) =>
  text
    .replace(/\r\n?/g, '\n')
    .replace(/[ \t]+$/gm, '')
    .replace(/^\n+|\n+$/g, '')
