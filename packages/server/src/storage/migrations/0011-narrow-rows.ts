/**
 * Makes rows and index entries of records and responses smaller, because searches no longer read them from the tables.
 *
 * - Fields move to their own table: a response that completes a record does not rewrite them, and other columns are read without
 *   them.
 * - Records and responses refer to their dataset by the number of its head.
 * - Indexes that only searches used are dropped.
 *
 * On SQLite the tables are rebuilt, because a column in a unique constraint cannot be dropped there.
 */
import type { Queryable } from '../database.ts'

type Dialect = Queryable['dialect']

/** With `integer`, SQLite uses the number as the rowid. On PostgreSQL `integer` means 32 bits. */
const keyOf = ({ name }: Dialect) => (name === 'sqlite' ? 'integer primary key' : 'bigint primary key')

/** Index entries of SQLite always end with the row's number. */
const andNo = ({ name }: Dialect) => (name === 'sqlite' ? '' : ', no')

const createHeads = (db: Dialect) => `create table dataset_heads_new (
  no ${db.autoNumber}, dataset_id text not null unique, change_no bigint not null, records_count integer not null,
  completed_count integer not null, last_activity_at text not null
)`

const createFields = (db: Dialect) => `create table record_fields (
  record_no ${keyOf(db)} references records (no) on delete cascade, fields text not null
)`

const HEAD_COLUMNS = 'dataset_id, change_no, records_count, completed_count, last_activity_at'
const RECORD_COLUMNS = 'no, id, external_id, status, shuffle, metadata, inserted_at, updated_at'
const RESPONSE_COLUMNS = 'id, record_no, user_id, status, "values", inserted_at, updated_at, write_id, earlier_write_ids'

/** Numbers the heads. Also adds heads for deleted datasets whose records have not been removed yet. */
const upHeads = (db: Dialect) => [
  createHeads(db),
  `insert into dataset_heads_new (${HEAD_COLUMNS}) select ${HEAD_COLUMNS} from dataset_heads order by dataset_id`,
  `insert into dataset_heads_new (${HEAD_COLUMNS})
    select dataset_id, 0, 0, 0, max(updated_at) from records
    where dataset_id not in (select dataset_id from dataset_heads) group by dataset_id`,
  'drop table dataset_heads',
  'alter table dataset_heads_new rename to dataset_heads',
]

const upRecords = (db: Dialect) => [
  createFields(db),
  'insert into record_fields (record_no, fields) select no, fields from records order by no',
  ...(db.name === 'sqlite' ? rebuildRecords(db) : alterRecords),
  'create unique index records_by_external_id on records (dataset_no, external_id) where external_id is not null',
  `create index records_by_number on records (dataset_no${andNo(db)})`,
  `create index records_by_status on records (dataset_no, status${andNo(db)})`,
]

const rebuildRecords = (db: Dialect) => [
  `create table records_new (
    no ${db.autoNumber}, id text not null unique, dataset_no integer not null, external_id ${db.text}, status text not null,
    shuffle integer not null, metadata text, inserted_at text not null, updated_at text not null
  )`,
  `insert into records_new (dataset_no, ${RECORD_COLUMNS})
    select (select h.no from dataset_heads h where h.dataset_id = records.dataset_id), ${RECORD_COLUMNS} from records order by no`,
  ...replaceRecords,
]

/** Continues the number sequence of the old table, because numbers of deleted records must not be reused. */
const replaceRecords = [
  "delete from sqlite_sequence where name = 'records_new'",
  "insert into sqlite_sequence (name, seq) select 'records_new', seq from sqlite_sequence where name = 'records'",
  'drop table records',
  'alter table records_new rename to records',
]

const alterRecords = [
  'alter table records add column dataset_no bigint',
  'update records set dataset_no = h.no from dataset_heads h where h.dataset_id = records.dataset_id',
  'alter table records alter column dataset_no set not null',
  // Dropping these columns also drops their indexes.
  'alter table records drop column dataset_id',
  'alter table records drop column fields',
]

/** `responses_by_time` starts with the user, so that it is also used when a user is deleted. */
const upResponses = (db: Dialect) => [
  ...(db.name === 'sqlite' ? rebuildResponses : alterResponses),
  'create index responses_by_user on responses (dataset_no, user_id, status, record_no)',
  'create index responses_by_time on responses (user_id, dataset_no, updated_at)',
]

/** The primary key is record and user, which saves one index. */
const rebuildResponses = [
  `create table responses_new (
    id text not null unique, record_no bigint not null references records (no) on delete cascade, dataset_no integer not null,
    user_id text not null references users (id) on delete cascade, status text not null, "values" text not null,
    inserted_at text not null, updated_at text not null, write_id text, earlier_write_ids text, primary key (record_no, user_id)
  ) without rowid`,
  `insert into responses_new (dataset_no, ${RESPONSE_COLUMNS})
    select (select h.no from dataset_heads h where h.dataset_id = responses.dataset_id), ${RESPONSE_COLUMNS}
    from responses order by record_no, user_id`,
  'drop table responses',
  'alter table responses_new rename to responses',
]

const alterResponses = [
  'alter table responses add column dataset_no bigint',
  'update responses set dataset_no = h.no from dataset_heads h where h.dataset_id = responses.dataset_id',
  'alter table responses alter column dataset_no set not null',
  'alter table responses drop column dataset_id',
  'drop index responses_of_user',
]

/** Restores the tables of the previous revision. */
const downResponses = (db: Dialect) => [
  ...(db.name === 'sqlite' ? restoreResponses : restoreDatasetId('responses')),
  'create index responses_by_user on responses (dataset_id, user_id, status, record_no)',
  'create index responses_of_user on responses (user_id)',
  'create index responses_by_time on responses (dataset_id, user_id, updated_at)',
]

const restoreResponses = [
  `create table responses_new (
    id text primary key, record_no bigint not null references records (no) on delete cascade, dataset_id text not null,
    user_id text not null references users (id) on delete cascade, status text not null, "values" text not null,
    inserted_at text not null, updated_at text not null, write_id text, earlier_write_ids text, unique (record_no, user_id)
  )`,
  `insert into responses_new (dataset_id, ${RESPONSE_COLUMNS})
    select (select h.dataset_id from dataset_heads h where h.no = responses.dataset_no), ${RESPONSE_COLUMNS}
    from responses order by id`,
  'drop table responses',
  'alter table responses_new rename to responses',
]

/** For PostgreSQL. Dropping the number also drops its indexes. */
const restoreDatasetId = (table: string) => [
  `alter table ${table} add column dataset_id text`,
  `update ${table} set dataset_id = h.dataset_id from dataset_heads h where h.no = ${table}.dataset_no`,
  `alter table ${table} alter column dataset_id set not null`,
  `alter table ${table} drop column dataset_no`,
]

const downRecords = (db: Dialect) => [
  ...(db.name === 'sqlite' ? restoreRecords(db) : restoreFields),
  'drop table record_fields',
  'create index records_by_time on records (dataset_id, inserted_at, id)',
  'create index records_by_number on records (dataset_id, no)',
  'create index records_by_shuffle on records (dataset_id, status, shuffle)',
]

const restoreRecords = (db: Dialect) => [
  `create table records_new (
    no ${db.autoNumber}, id text not null unique, dataset_id text not null, external_id ${db.text}, status text not null,
    shuffle integer not null, fields text not null, metadata text, inserted_at text not null, updated_at text not null,
    unique (dataset_id, external_id)
  )`,
  `insert into records_new (dataset_id, fields, ${RECORD_COLUMNS})
    select (select h.dataset_id from dataset_heads h where h.no = records.dataset_no),
      (select f.fields from record_fields f where f.record_no = records.no), ${RECORD_COLUMNS} from records order by no`,
  ...replaceRecords,
]

const restoreFields = [
  ...restoreDatasetId('records'),
  'alter table records add column fields text',
  'update records set fields = f.fields from record_fields f where f.record_no = records.no',
  'alter table records alter column fields set not null',
  'alter table records add unique (dataset_id, external_id)',
]

const downHeads = (db: Dialect) => [
  `create table dataset_heads_new (
    dataset_id text primary key, change_no bigint not null, records_count integer not null, completed_count integer not null,
    last_activity_at text not null
  ) ${db.keyOnlyTable}`,
  `insert into dataset_heads_new (${HEAD_COLUMNS}) select ${HEAD_COLUMNS} from dataset_heads`,
  'drop table dataset_heads',
  'alter table dataset_heads_new rename to dataset_heads',
]

interface Part {
  title: string
  statements: string[]
}

async function run(db: Queryable, parts: readonly Part[], tell: (line: string) => void): Promise<void> {
  for (const { title, statements } of parts) {
    tell(`  ${title}`)
    for (const statement of statements) await db.sql.run(statement)
  }
}

export const up = (db: Queryable, tell: (line: string) => void): Promise<void> =>
  run(
    db,
    [
      { title: 'datasets', statements: upHeads(db.dialect) },
      { title: 'records', statements: upRecords(db.dialect) },
      { title: 'responses', statements: upResponses(db.dialect) },
      { title: 'suggestions', statements: ['drop index suggestions_by_agent'] },
    ],
    tell,
  )

export const down = (db: Queryable, tell: (line: string) => void): Promise<void> =>
  run(
    db,
    [
      {
        title: 'suggestions',
        statements: [
          'create index suggestions_by_agent on suggestions (question_no, agent, record_no, score_min, score_max, type)',
        ],
      },
      { title: 'responses', statements: downResponses(db.dialect) },
      { title: 'records', statements: downRecords(db.dialect) },
      { title: 'datasets', statements: downHeads(db.dialect) },
    ],
    tell,
  )
