/** The npm package of the TypeScript client, `dist/postil-client-<version>.tgz`: one file that runs in Node and browsers, and types. */
import { execFileSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { rolldown } from 'rolldown'
import { toNotice } from './licences.ts'
import { packFolder } from './pack-folder.ts'
import { ROOT } from './stamp.ts'

const CLIENT = join(ROOT, 'packages/client')
const STAGE = join(ROOT, 'dist/client')
const TYPES = join(STAGE, 'types')

const readJson = (path: string) => JSON.parse(readFileSync(join(ROOT, path), 'utf8'))

function toManifest() {
  const { name, version, license } = readJson('packages/client/package.json')
  return {
    name,
    version,
    description: 'The TypeScript client of Postil, a server where teams collect human feedback on data',
    license,
    type: 'module',
    exports: { '.': { types: './types/client/src/index.d.ts', default: './index.js' } },
    engines: { node: '>=22' },
    // Only its types are used.
    dependencies: { typebox: readJson('packages/domain/package.json').dependencies.typebox },
  }
}

async function writeCode(): Promise<void> {
  const build = await rolldown({ input: { index: join(CLIENT, 'src/index.ts') }, platform: 'neutral' })
  const { output } = await build.write({ dir: STAGE })
  await build.close()
  const isOther = (id: string) => !id.startsWith(join(ROOT, 'packages')) && !id.startsWith('\0rolldown/')
  const others = output.flatMap(file => (file.type === 'chunk' ? [...file.moduleIds, ...file.imports] : [])).filter(isOther)
  if (others.length > 0)
    throw new Error(`The client contains or imports ${others.join(', ')}: their licences must be added to its package`)
  // The bundler adds a few functions of its own.
  const { name, version, license, text } = toNotice(join(ROOT, 'node_modules/rolldown'))
  writeFileSync(join(STAGE, 'third-party-notices.txt'), `index.js contains code of ${name} ${version} (${license}):\n\n${text}\n`)
}

/** Declarations refer to our packages by name and to files by their `.ts` names, which do not exist in the package. */
function writeTypes(): void {
  execFileSync(process.execPath, [join(ROOT, 'node_modules/typescript-7/bin/tsc'), '-p', CLIENT], { cwd: ROOT, stdio: 'inherit' })
  for (const path of globSync('**/*.d.ts', { cwd: TYPES })) {
    const file = join(TYPES, path)
    const domain = relative(dirname(file), join(TYPES, 'domain/src')).split(sep).join('/')
    const text = readFileSync(file, 'utf8')
      .replaceAll(/(["'])@postil\/domain\/([\w/-]+)\1/g, `'${domain}/$2.js'`)
      .replaceAll(/(["'])(\.[\w./-]*)\.ts\1/g, "'$2.js'")
    writeFileSync(file, text)
  }
}

/** Returns the path of the package. */
export async function packClient(): Promise<string> {
  rmSync(STAGE, { recursive: true, force: true })
  mkdirSync(STAGE, { recursive: true })
  await writeCode()
  writeTypes()
  for (const path of ['LICENSE', 'packages/client/README.md'])
    cpSync(join(ROOT, path), join(STAGE, path.split('/').at(-1) ?? path))
  writeFileSync(join(STAGE, 'package.json'), `${JSON.stringify(toManifest(), null, 2)}\n`)
  return packFolder(STAGE)
}
