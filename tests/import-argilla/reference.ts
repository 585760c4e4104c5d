/**
 * A filled database of the public Argilla server, and what the public SDK reads from that server. Neither depends on our code, and
 * starting the server with its search engine takes minutes, so both are made once and kept in a folder for each version of the
 * inputs.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { ENGINES } from '../engines/build.ts'
import { OWNER, runSdk, startArgilla } from './start-argilla.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const CACHE = join(ROOT, '.cache/argilla-reference')
/** Records that are written through the SDK. The others are copies of them. */
const WRITTEN = 200
const SOURCES = [
  'tests/import-argilla/compare.py',
  'tests/import-argilla/fill.py',
  'tests/import-argilla/public_server.py',
  'tests/import-argilla/reference.ts',
  'scripts/python-argilla.ts',
  'scripts/python-sdk.ts',
]

export interface Reference {
  /** Database file. Must not be changed. */
  file: string
  /** What `compare.py` has read from the server. */
  read: string
}

/** Makes both if they do not exist, for which it calls `newFolder`. */
export async function prepareReference(records: number, newFolder: () => string): Promise<Reference> {
  const folder = join(CACHE, toKey(records))
  if (!existsSync(folder)) {
    mkdirSync(CACHE, { recursive: true })
    const building = mkdtempSync(join(CACHE, 'building-'))
    try {
      await build(building, records, newFolder)
      // Renamed when it is complete, so that an interrupted build never looks finished.
      renameSync(building, folder)
    } finally {
      rmSync(building, { recursive: true, force: true })
    }
  }
  return toReference(folder)
}

const toReference = (folder: string): Reference => ({ file: join(folder, 'argilla.db'), read: join(folder, 'read.pickle') })

function toKey(records: number): string {
  const hash = createHash('sha256').update(`${records} ${ENGINES.elasticsearch.version}`)
  for (const path of SOURCES) hash.update(readFileSync(join(ROOT, path)))
  return hash.digest('hex').slice(0, 16)
}

async function build(folder: string, records: number, newFolder: () => string): Promise<void> {
  const { file, read } = toReference(folder)
  const argilla = await startArgilla(newFolder())
  try {
    runSdk('fill.py', [argilla.url, OWNER.apiKey, String(WRITTEN)], newFolder())
    await argilla.multiply(records)
    runSdk('compare.py', [argilla.url, OWNER.apiKey, read, '--write'], newFolder())
    const db = new DatabaseSync(argilla.file)
    await backup(db, file)
    db.close()
  } finally {
    await argilla.close()
  }
}
