/**
 * Writes packages/web/public/third-party-notices.txt: the licences of all packages with code, styles or fonts in the bundles of the
 * web UI, the server and the command line, and of those with binaries. The list comes from the module graphs of the builds, not
 * from package.json files.
 *
 *   npm run notices               writes it
 *   npm run notices -- --check    exits with 1 if it is outdated (a test and `npm run pack` do the same)
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build, type InlineConfig, type Plugin, type Rolldown } from 'vite'
import { frameConfig } from '../packages/web/frame/build-frame.ts'
import { bundleCli } from './build-cli.ts'
import { bundleServer, NATIVE } from './build-server.ts'
import { type Notice, readManifest, toNotice } from './licences.ts'
import { ROOT } from './stamp.ts'

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

/** Returns the folders of the packages with code in a bundle, or installed with it, and of the packages these consist of. */
async function listPackages(): Promise<Set<string>> {
  const folders = new Set(NATIVE.map(name => join(ROOT, 'node_modules', name)))
  for (const folder of folders) {
    for (const name of Object.keys(readManifest(folder).dependencies ?? {})) folders.add(join(ROOT, 'node_modules', name))
  }
  for (const bundle of [bundleServer, bundleCli]) {
    for (const { modules } of (await bundle()).filter(file => file.type === 'chunk')) {
      const folderOf = ([id, { renderedLength }]: [string, { renderedLength: number }]) =>
        renderedLength > 0 ? toFolder(id, ROOT) : null
      for (const folder of Object.entries(modules).map(folderOf)) if (folder !== null) folders.add(folder)
    }
  }
  for (const folder of await listWebPackages()) folders.add(folder)
  return folders
}

/** Returns the folders of the packages whose modules, styles or files are in the web UI. */
async function listWebPackages(): Promise<Set<string>> {
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
  return folders
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

const LINE = '-'.repeat(80)
const toLine = ({ name, version, license }: Notice) => `${name} ${version} (${license})`

async function noticesText(): Promise<string> {
  const order = (a: Notice, b: Notice) => (`${a.name} ${a.version}` < `${b.name} ${b.version}` ? -1 : 1)
  const notices = [...(await listPackages())].map(toNotice).sort(order)
  const list = [...new Set(notices.map(toLine))].map(line => `  ${line}`)
  const parts = [...Map.groupBy(notices, ({ text }) => text)].map(
    ([text, same]) => `${LINE}\n${[...new Set(same.map(toLine))].join('\n')}\n${LINE}\n\n${text}`,
  )
  return `${[
    'Third-party notices of Postil',
    'The web UI, the server and the command line contain code and fonts of these packages, or are installed with them. Packages with\nthe same text share it. Made by `npm run notices`; do not edit.',
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
