/**
 * The database of an Argilla server, opened read-only. Everything is read in one snapshot.
 *
 * Values are strings, numbers or null on both databases; `columns.ts` converts them.
 */
import { OperatorError } from '../lib/operator-error.ts'
import { openPostgresSource } from './postgres-source.ts'
import { openSqliteSource } from './sqlite-source.ts'

export type SourceValue = string | number | null | undefined
export type SourceRow = Record<string, SourceValue>

export interface Source {
  /** Location for messages, without the password. */
  place: string
  /** SQL expression for the approximate size of a value in bytes, computed without reading the value. */
  sizeOf(column: string): string
  all(text: string): Promise<SourceRow[]>
  /** Runs a statement that ends with a column name and returns the rows whose column is one of `ids`; `order` is appended. */
  allWith(text: string, ids: readonly string[], order?: string): Promise<SourceRow[]>
  close(): Promise<void>
}

/** Newest schema revision of Argilla 2.x, and the releases that have it. */
const REVISION = { number: '580a6553186f', releases: 'Argilla 2.5 to 2.8' }

export async function openSource(place: { file: string } | { url: string }): Promise<Source> {
  const source = 'file' in place ? openSqliteSource(place.file) : await openPostgresSource(place.url)
  try {
    await checkRevision(source)
    return source
  } catch (error) {
    await source.close()
    throw error
  }
}

const UPGRADE =
  'Upgrade the Argilla server to 2.8.0 and run `argilla_server database migrate` there. It changes that database: make a copy first.'

async function checkRevision(source: Source): Promise<void> {
  const rows = await source.all('select version_num from alembic_version').catch((error: Error) => {
    if (!/no such table|does not exist/.test(error.message)) throw error
    const message = `${source.place} is not the database of an Argilla server: it has no table \`alembic_version\`.`
    throw new OperatorError(message, { cause: error })
  })
  const found = rows.map(row => String(row.version_num))
  if (found.length === 1 && found[0] === REVISION.number) return
  throw new OperatorError(
    `${source.place} has the revision ${found.join(', ') || '(none)'} in \`alembic_version\`. This command reads ${REVISION.number} ` +
      `(${REVISION.releases}). ${UPGRADE}`,
  )
}
