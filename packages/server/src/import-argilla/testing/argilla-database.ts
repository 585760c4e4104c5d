/** A small database of an Argilla 2.8 server, on SQLite or PostgreSQL. */
import { join } from 'node:path'
import { hashSync } from 'bcryptjs'
import SqliteDatabase from 'better-sqlite3'
import pg from 'pg'

export interface ArgillaDatabase {
  place: { file: string } | { url: string }
  run(text: string): Promise<void>
  close(): Promise<void>
}

interface Types {
  id: string
  time: string
  bool: string
}

const TIMES = (types: Types) => `inserted_at ${types.time}, updated_at ${types.time}`
const ITEM = (types: Types) => `id ${types.id}, dataset_id ${types.id}, name text, title text, ${TIMES(types)}`

/** Only the columns that the import reads. */
const toTables = (types: Types): string[] => [
  'create table alembic_version (version_num text)',
  `create table users (id ${types.id}, first_name text, last_name text, username text, role text, api_key text, password_hash text, ${TIMES(types)})`,
  `create table workspaces (id ${types.id}, name text, ${TIMES(types)})`,
  `create table workspaces_users (id ${types.id}, workspace_id ${types.id}, user_id ${types.id}, ${TIMES(types)})`,
  `create table datasets (id ${types.id}, name text, guidelines text, allow_extra_metadata ${types.bool}, status text, distribution json,
    metadata json, workspace_id ${types.id}, last_activity_at ${types.time}, ${TIMES(types)})`,
  `create table datasets_users (dataset_id ${types.id}, user_id ${types.id}, ${TIMES(types)})`,
  `create table fields (required ${types.bool}, settings json, ${ITEM(types)})`,
  `create table questions (description text, required ${types.bool}, settings json, ${ITEM(types)})`,
  `create table metadata_properties (settings json, allowed_roles json, ${ITEM(types)})`,
  `create table vectors_settings (dimensions integer, ${ITEM(types)})`,
  `create table records (id ${types.id}, dataset_id ${types.id}, external_id text, status text, fields json, metadata json, ${TIMES(types)})`,
  `create table responses (id ${types.id}, record_id ${types.id}, user_id ${types.id}, status text, "values" json, ${TIMES(types)})`,
  `create table suggestions (id ${types.id}, record_id ${types.id}, question_id ${types.id}, type text, value json, score json, agent text, ${TIMES(types)})`,
  `create table vectors (id ${types.id}, record_id ${types.id}, vector_settings_id ${types.id}, value json, ${TIMES(types)})`,
  `create table webhooks (id ${types.id}, url text, secret text, events json, enabled ${types.bool}, description text, ${TIMES(types)})`,
]

/** Ids in Argilla's SQLite format: without dashes. */
export const idOf = (n: number) => n.toString(16).padStart(32, '0')

const AT = "'2024-05-01 10:00:00.123456', '2024-05-02 11:00:00'"
export const PASSWORD = 'password of ann'

export function toRows(isPostgres: boolean): string[] {
  const yes = isPostgres ? 'true' : '1'
  const id = (n: number) => `'${idOf(n)}'`
  const hash = hashSync(PASSWORD, 4)
  const item = (n: number, name: string) => `${id(n)}, ${id(20)}, '${name}', 'Title', ${AT}`
  const distribution = '\'{"strategy": "overlap", "min_submitted": 1}\''
  const records = Array.from({ length: 700 }, (_, i) => {
    const status = i % 2 === 0 ? 'completed' : 'pending'
    return `(${id(1000 + i)}, ${id(20)}, ${i === 0 ? 'null' : `'doc ${i}'`}, '${status}', '{"text": "needle ${i} \\u00fc"}', '{"topic": "a", "extra": 1}', ${AT})`
  })
  const responses = Array.from({ length: 350 }, (_, i) => {
    return `(${id(5000 + i)}, ${id(1000 + 2 * i)}, ${id(2)}, 'submitted', '{"label": {"value": "yes"}}', ${AT})`
  })
  return [
    "insert into alembic_version values ('580a6553186f')",
    `insert into users values (${id(1)}, 'Ann', null, 'ann', 'owner', 'key-of-ann', '${hash}', ${AT}),
      (${id(2)}, 'Ben', 'B', 'ben', 'annotator', 'key-of-ben', '${hash}', ${AT})`,
    `insert into workspaces values (${id(10)}, 'team', ${AT})`,
    `insert into workspaces_users values (${id(11)}, ${id(10)}, ${id(2)}, ${AT})`,
    `insert into datasets values (${id(20)}, 'reviews', 'Read.', ${yes}, 'ready', ${distribution}, null, ${id(10)}, '2024-06-01 00:00:00', ${AT})`,
    `insert into datasets_users values (${id(20)}, ${id(2)}, ${AT})`,
    `insert into fields values (${yes}, '{"type": "text", "use_markdown": false}', ${item(30, 'text')})`,
    `insert into questions values (null, ${yes}, '{"type": "label_selection", "options": [{"value": "yes", "text": "Yes"}, {"value": "no", "text": "No", "description": null}]}', ${item(40, 'label')})`,
    `insert into metadata_properties values ('{"type": "terms", "values": null}', '["admin", "annotator"]', ${item(50, 'topic')})`,
    `insert into vectors_settings values (2, ${item(60, 'small')})`,
    `insert into records values ${records.join(', ')}`,
    `insert into responses values ${responses.join(', ')}`,
    `insert into suggestions values (${id(70)}, ${id(1000)}, ${id(40)}, 'model', '"yes"', '0.5', 'm-1', ${AT})`,
    `insert into vectors values (${id(80)}, ${id(1000)}, ${id(60)}, '[0.1, 2]', ${AT})`,
    `insert into webhooks values (${id(90)}, 'https://example.org/hook', 'c2VjcmV0', '["response.created"]', ${yes}, null, ${AT})`,
  ]
}

export function makeSqliteArgilla(folder: string, name = 'argilla.db'): ArgillaDatabase {
  const file = join(folder, name)
  const raw = new SqliteDatabase(file)
  for (const text of [...toTables({ id: 'char(32)', time: 'datetime', bool: 'boolean' }), ...toRows(false)]) raw.exec(text)
  return { place: { file }, run: async text => void raw.exec(text), close: async () => void raw.close() }
}

/** Fills an empty PostgreSQL database, which others can then be copied from. */
export async function fillPostgresArgilla(url: string): Promise<void> {
  const argilla = await openPostgresArgilla(url)
  for (const text of [...toTables({ id: 'uuid', time: 'timestamp', bool: 'boolean' }), ...toRows(true)]) await argilla.run(text)
  await argilla.close()
}

export async function openPostgresArgilla(url: string): Promise<ArgillaDatabase> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const run = async (text: string) => void (await client.query(text))
  return { place: { url }, run, close: () => client.end() }
}
