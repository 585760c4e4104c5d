/** Reads and changes rows in a server's database directly. Values are bound with `?` on both databases. */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'

type Value = string | number | null

/** Location of the server's database. */
export interface Place {
  home: string
  databaseUrl: string | null
}

const INT8_OID = 20

/** Runs one statement on a separate connection. */
export async function runRows<Row>({ home, databaseUrl }: Place, text: string, values: readonly Value[] = []): Promise<Row[]> {
  if (databaseUrl === null) {
    const database = new DatabaseSync(join(home, 'postil.db'), { timeout: 60_000 })
    try {
      return database.prepare(text).all(...values) as Row[]
    } finally {
      database.close()
    }
  }
  const types = { getTypeParser: (oid: number) => (oid === INT8_OID ? Number : pg.types.getTypeParser(oid)) }
  const client = new pg.Client({ connectionString: databaseUrl, types })
  await client.connect()
  try {
    let count = 0
    return (
      await client.query(
        text.replaceAll('?', () => `$${++count}`),
        [...values],
      )
    ).rows
  } finally {
    await client.end()
  }
}
