/** A data folder of the first release, with its schema, lookup tables and text index in the database. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'vitest'
import { LABELS, openRandom, SOURCES } from '../load/corpus.ts'
import { createMeasuredDataset, type MeasuredDataset } from '../load/dataset.ts'
import { type Connection, openConnection } from '../load/http-client.ts'
import { check } from '../load/measure.ts'
import { postil } from '../postil.ts'
import { startServer } from '../server.ts'
import { withDatabase } from './check-folder.ts'

const OLD_REVISION = '0001'
export const RECORDS = 400
/** Number of records with a response. */
export const RESPONSES = 5
const WORDS_PER_RECORD = 100
/** Makes the texts large enough for several segments, without the work of as many words. */
const PADDING = ' '.repeat(45_000)
const RECORDS_PER_CALL = 100

export interface OldFolder {
  dataset: MeasuredDataset
  /** Revisions that a start migrates to, oldest first. */
  revisions: string[]
}

export async function makeOldFolder(home: string): Promise<OldFolder> {
  const server = await startServer({ home })
  const dataset = await createMeasuredDataset(server)
  const connection = await openConnection(server.url, server.apiKey)
  for (let from = 0; from < RECORDS; from += RECORDS_PER_CALL) await addRecords(connection, dataset, from)
  connection.close()
  expect(await server.close()).toBe(0)
  const revisions = withDatabase(home, readRevisions)
  const migrated = postil(['server', 'database', 'migrate', '--revision', OLD_REVISION, '--force'], { SERVICE_HOME_PATH: home })
  expect(migrated).toMatchObject({ status: 0 })
  fillDerived(home, dataset)
  return { dataset, revisions }
}

/** Returns the schema revisions of a database, oldest first. */
export const readRevisions = (database: DatabaseSync): string[] =>
  database
    .prepare('select name from revisions order by name')
    .all()
    .map(({ name }) => String(name))

async function addRecords(connection: Connection, dataset: MeasuredDataset, from: number): Promise<void> {
  const random = openRandom(from)
  const pick = <T>(values: readonly T[]) => values[Math.floor(random() * values.length)] as T
  const items = Array.from({ length: RECORDS_PER_CALL }, (_, i) => {
    const words = Array.from({ length: WORDS_PER_RECORD }, () => `word${Math.floor(random() * 5_000)}`)
    return {
      fields: { text: [`only${from + i}`, `tenth${(from + i) % 10}`, ...words].join(' ') + PADDING },
      metadata: { source: pick(SOURCES) },
      suggestions: [{ question_id: dataset.questionId, value: pick(LABELS), score: random() }],
    }
  })
  const path = `/api/v1/datasets/${dataset.id}/records/bulk`
  const answer = JSON.parse(check(await connection.send('POST', path, JSON.stringify({ items }))).body.toString())
  if (from > 0) return
  const body = JSON.stringify({ status: 'submitted', values: { topic: { value: 'praise' } } })
  for (const { id } of answer.items.slice(0, RESPONSES)) {
    check(await connection.send('POST', `/api/v1/records/${id}/responses`, body))
  }
}

/**
 * Fills derived tables, which are empty after a downgrade. They were filled in the first release, so the migration must remove
 * data.
 */
function fillDerived(home: string, dataset: MeasuredDataset): void {
  const text = `text_${dataset.id.replaceAll('-', '')}`
  const database = new DatabaseSync(join(home, 'postil.db'))
  database.exec(`
    create virtual table ${text} using fts5(f0, content='', contentless_delete=1);
    insert into ${text} (rowid, f0) select no, json_extract(fields, '$.text') from records;
    insert into metadata_terms select r.no, p.no, json_extract(r.metadata, '$.source')
      from records r join metadata_properties p on p.id = '${dataset.sourceId}';
    insert into suggestion_terms select record_no, question_no, json_extract(value, '$') from suggestions;
  `)
  database.close()
}

/** Data of users and programs. A migration preserves every row. */
const PRESERVED_COLUMNS = {
  users: 'id, first_name, last_name, username, role, password_hash, api_key_encrypted, inserted_at, updated_at',
  workspaces: 'id, name, inserted_at, updated_at',
  workspaces_users: 'workspace_id, user_id, inserted_at',
  datasets: 'id, workspace_id, name, guidelines, allow_extra_metadata, status, distribution, metadata, inserted_at, updated_at',
  fields: 'id, dataset_id, name, title, required, settings, inserted_at, updated_at',
  questions: 'no, id, dataset_id, name, title, description, required, settings, inserted_at, updated_at',
  metadata_properties: 'no, id, dataset_id, name, title, settings, visible_for_annotators, inserted_at, updated_at',
  vectors_settings: 'no, id, dataset_id, name, title, dimensions, inserted_at, updated_at',
  records: 'no, id, dataset_id, external_id, status, fields, metadata, inserted_at, updated_at',
  responses: 'id, record_no, dataset_id, user_id, status, "values", inserted_at, updated_at',
  suggestions: 'id, record_no, question_no, type, value, score, agent, inserted_at, updated_at',
}

/** Location of the same columns after the migration, which moves fields to a separate table and gives datasets numbers. */
const MOVED_TABLES: Record<string, string> = {
  records: `(select r.*, f.fields, h.dataset_id from records r join record_fields f on f.record_no = r.no
    join dataset_heads h on h.no = r.dataset_no)`,
  responses: '(select s.*, h.dataset_id from responses s join dataset_heads h on h.no = s.dataset_no)',
}

/** Returns a digest of the rows of each table. */
export const digestPreserved = (home: string): Record<string, string> =>
  withDatabase(home, database => {
    const isMoved = database.prepare("select 1 from sqlite_master where name = 'record_fields'").get() !== undefined
    const digest = ([table, columns]: [string, string]) => {
      const hash = createHash('sha256')
      const source = (isMoved && MOVED_TABLES[table]) || table
      for (const row of database.prepare(`select ${columns} from ${source} order by ${columns}`).iterate()) {
        hash.update(JSON.stringify(row))
      }
      return [table, hash.digest('hex')]
    }
    return Object.fromEntries(Object.entries(PRESERVED_COLUMNS).map(digest))
  })
