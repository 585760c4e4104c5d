/** `manifest.json` of a backup: its content, the release that created it, and checksums that detect damage. */
import { createHash } from 'node:crypto'
import { createReadStream, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { OperatorError } from '../lib/operator-error.ts'
import { MIGRATIONS } from '../storage/migrate.ts'
import { POSTIL_VERSION } from '../version.ts'

export const MANIFEST = 'manifest.json'
/** The copy of the database: an SQLite file, or the output of `pg_dump`. */
export const DATABASE = 'postil.db'
export const DUMP = 'postil.dump'

/** Format version of a backup. Incremented if older releases cannot restore it. */
const FORMATS = { sqlite: 1, postgres: 2 }
const FORMAT_MAX = 2

interface StoredFile {
  bytes: number
  sha256: string
}

/** Properties of a PostgreSQL dump. */
export interface DumpFacts {
  /** Schema that contains the tables. */
  schema: string
  /** Version of `pg_dump`: an older `pg_restore` cannot read its output. */
  tool_version: string
  server_version: string
}

export interface Manifest {
  format: number
  /** Release that created the backup. */
  version: string
  /** Schema revision. */
  revision: string
  made_at: string
  rows: Record<string, number>
  /** Absent on SQLite. */
  postgres?: DumpFacts
  files: Record<string, StoredFile>
}

/** Properties of the copied database. */
export type CopyFacts = Pick<Manifest, 'revision' | 'rows' | 'postgres'>

/** Writes the manifest for the files in the folder. */
export async function writeManifest(folder: string, about: CopyFacts): Promise<void> {
  const format = about.postgres ? FORMATS.postgres : FORMATS.sqlite
  const files: Manifest['files'] = {}
  for (const name of readdirSync(folder).toSorted()) files[name] = await describe(join(folder, name))
  const manifest: Manifest = { format, version: POSTIL_VERSION, made_at: new Date().toISOString(), ...about, files }
  writeFileSync(join(folder, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 })
}

async function describe(path: string): Promise<StoredFile> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return { bytes: statSync(path).size, sha256: hash.digest('hex') }
}

/** Reads the manifest and refuses a backup of a newer release. */
export function loadManifest(folder: string): Manifest {
  const path = join(folder, MANIFEST)
  if (!existsSync(path)) {
    throw new OperatorError(`${folder} is not a backup: it has no ${MANIFEST}. \`postil server backup <folder>\` makes backups.`)
  }
  const manifest = parse(path)
  const isKnown = MIGRATIONS.some(({ name }) => name === manifest.revision)
  if (manifest.format > FORMAT_MAX || !isKnown) {
    throw new OperatorError(
      `The backup ${folder} was made by Postil ${manifest.version} (schema ${manifest.revision}), which is newer than this release, ` +
        `${POSTIL_VERSION}. Restore it with that release or a newer one.`,
    )
  }
  return manifest
}

function parse(path: string): Manifest {
  const damaged = new OperatorError(`${path} is damaged. Nothing was restored: use another backup.`)
  let found: Partial<Manifest> | null
  try {
    found = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    if (error instanceof SyntaxError) throw damaged
    throw error
  }
  const { format, version, revision, files, postgres } = found ?? {}
  const isWhole = typeof format === 'number' && typeof version === 'string' && typeof revision === 'string'
  if (!isWhole || typeof files !== 'object' || files === null) throw damaged
  // The other properties of a newer format are unknown.
  if (format > FORMAT_MAX) return found as Manifest
  if (!((postgres === undefined ? DATABASE : DUMP) in files)) throw damaged
  if (postgres !== undefined && !isDumpFacts(postgres)) throw damaged
  // Names become parts of paths, so only safe ones are allowed.
  if (Object.keys(files).some(name => !/^[\w-]+(\.[\w-]+)*$/.test(name))) throw damaged
  return found as Manifest
}

const isDumpFacts = (facts: DumpFacts | null) =>
  [facts?.schema, facts?.tool_version, facts?.server_version].every(value => typeof value === 'string')

/** Throws unless every file is present and unchanged since the backup. */
export async function checkFiles(folder: string, { files }: Manifest): Promise<void> {
  for (const [name, expected] of Object.entries(files)) {
    const path = join(folder, name)
    if (!existsSync(path))
      throw new OperatorError(`The backup ${folder} is incomplete: ${name} is missing. Nothing was restored.`)
    const found = await describe(path)
    if (found.bytes === expected.bytes && found.sha256 === expected.sha256) continue
    throw new OperatorError(
      `The backup ${folder} is damaged: ${name} is not as it was when the backup was made. Nothing was restored. ` +
        'Use another backup. If a server was started on this folder, it has changed the file: start it there again instead.',
    )
  }
}
