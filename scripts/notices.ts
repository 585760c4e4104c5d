/**
 * Writes packages/web/public/third-party-notices.txt: the licences of all packages with code, styles or fonts in the built web
 * UI. The list comes from the module graph of the build, not from package.json files.
 *
 *   npm run notices               writes it
 *   npm run notices -- --check    exits with 1 if it is outdated (a test does the same)
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type InlineConfig, type Plugin, type Rolldown } from 'vite'
import { frameConfig } from '../packages/web/frame/build-frame.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const NOTICES = join(ROOT, 'packages/web/public/third-party-notices.txt')
const WEB: InlineConfig = {
  configFile: join(ROOT, 'packages/web/vite.config.ts'),
  logLevel: 'warn',
  build: { write: false },
}

/** Maps helper code that build tools add to the package it comes from. */
const VIRTUAL_MODULES: [prefix: string, folder: string][] = [
  ['\0vite/', 'node_modules/vite'],
  ['\0plugin-vue:', 'node_modules/@vitejs/plugin-vue'],
  ['\0rolldown/', 'node_modules/rolldown'],
]

/** Packages with a choice of licences: the licence that we use, and its file. */
const CHOSEN_LICENCES: Readonly<Record<string, { license: string; file: string }>> = {
  dompurify: { license: 'Apache-2.0', file: 'LICENSE' },
}

/** For files with more than the licence of the package itself: the heading at which the rest begins. */
const ENDS_BEFORE: Readonly<Record<string, string>> = { vite: '# Licenses of bundled dependencies' }

interface Notice {
  name: string
  version: string
  license: string
  text: string
}

/** Returns the folders of the packages whose modules, styles or files are in the bundles. */
async function listBundledPackages(): Promise<string[]> {
  const folders = new Set<string>()
  const fonts = new Set<string>()
  const plugin: Plugin = {
    name: 'list-packages',
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        for (const id of listSources(bundle)) {
          const folder = toFolder(id, this.environment.config.root)
          if (folder === null) continue
          folders.add(folder)
          if (/\.(?:woff2?|ttf|otf|eot)$/.test(id)) fonts.add(folder)
        }
      },
    },
  }
  for (const config of [WEB, frameConfig]) await build({ ...config, plugins: [plugin] })
  // Some packages include fonts under a licence that their package.json does not mention.
  const wrong = [...fonts].map(readManifest).filter(({ license }) => license !== 'OFL-1.1')
  if (wrong.length > 0) {
    throw new Error(`${wrong.map(({ name }) => name).join(', ')}: fonts that are not under OFL-1.1 need a notice of their own`)
  }
  return [...folders]
}

/** Returns the modules with code in a chunk, styles, and the originals of files such as fonts. */
function listSources(bundle: Rolldown.OutputBundle): string[] {
  return Object.values(bundle).flatMap(file => {
    if (file.type === 'asset') return file.originalFileNames
    return Object.entries(file.modules)
      .filter(([id, { renderedLength }]) => renderedLength > 0 || /\.css($|\?)/.test(id))
      .map(([id]) => id)
  })
}

/** Returns null for our own sources. Paths of files are relative to the root of the build, those of modules are not. */
function toFolder(id: string, root: string): string | null {
  const virtual = VIRTUAL_MODULES.find(([prefix]) => id.startsWith(prefix))
  if (virtual) return join(ROOT, virtual[1])
  if (id.startsWith('\0')) throw new Error(`${JSON.stringify(id)} is in the build and belongs to no package that is known`)
  return /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(resolve(root, id))?.[0] ?? null
}

const readManifest = (folder: string): { name: string; version: string; license: string } =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

function toNotice(folder: string): Notice {
  const { name, version, license } = readManifest(folder)
  const chosen = CHOSEN_LICENCES[name]
  if (typeof license !== 'string') throw new Error(`${name} does not name its licence`)
  if (!chosen && /\bOR\b/i.test(license)) throw new Error(`${name} is under ${license}: choose one in CHOSEN_LICENCES`)
  const files = readdirSync(folder)
  const file = chosen?.file ?? files.find(path => /^licen[cs]e(\.\w+)?$/i.test(path))
  if (file === undefined) throw new Error(`${name} has no licence file`)
  // NOTICE files must be included too (Apache License 2.0, section 4d), as must the licences of copied code.
  const others = files.filter(path => /^(notice|third-party-licen[cs]es?)(\.\w+)?$/i.test(path))
  const texts = [file, ...others].map(path => readFileSync(join(folder, path), 'utf8'))
  const [text = ''] = texts.join('\n\n').split(ENDS_BEFORE[name] ?? '\0')
  return { name, version, license: chosen ? `${chosen.license}, chosen from ${license}` : license, text: tidyText(text) }
}

/** Normalizes differences between editors and systems. */
const tidyText = (text: string) =>
  text
    .replace(/\r\n?/g, '\n')
    .replace(/[ \t]+$/gm, '')
    .replace(/^\n+|\n+$/g, '')

const LINE = '-'.repeat(80)

async function noticesText(): Promise<string> {
  const order = (a: Notice, b: Notice) => (`${a.name} ${a.version}` < `${b.name} ${b.version}` ? -1 : 1)
  const notices = (await listBundledPackages()).map(toNotice).sort(order)
  const list = notices.map(({ name, version, license }) => `  ${name} ${version} (${license})`)
  const parts = notices.map(({ name, version, license, text }) => `${LINE}\n${name} ${version}\n${license}\n${LINE}\n\n${text}`)
  return `${[
    'Third-party notices of the Postil web UI',
    'The web UI contains code and fonts of these packages. Made by `npm run notices`; do not edit.',
    list.join('\n'),
    ...parts,
  ].join('\n\n')}\n`
}

async function main(): Promise<void> {
  const text = await noticesText()
  const isStale = !existsSync(NOTICES) || readFileSync(NOTICES, 'utf8') !== text
  if (process.argv.includes('--check')) {
    if (isStale) console.error('packages/web/public/third-party-notices.txt is out of date. Run `npm run notices`.')
    process.exitCode = isStale ? 1 : 0
    return
  }
  if (isStale) writeFileSync(NOTICES, text)
  console.log(isStale ? 'Written: packages/web/public/third-party-notices.txt' : 'Everything was up to date')
}

if (import.meta.main) await main()
