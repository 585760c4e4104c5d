/**
 * The text of a dataset's records in an FTS5 table of its own, so that common words of one dataset cost another nothing.
 *
 * It keeps no copy of the text, only where each token stands; its row ids are the records' numbers. Tokens come from domain,
 * joined by blanks, and the tokenizer does no more than cut them apart again: of ASCII punctuation it keeps what a token may
 * hold, and everything beyond ASCII it keeps anyway.
 */

import type { Id } from '@postil/domain/schema'
import { toIndexText } from '@postil/domain/search/tokens'
import type { Queryable } from '../../storage/database.ts'
import type { TextDocument } from '../engine.ts'

const TOKENIZER = `ascii tokenchars '_:.'',;'`

/** The name is made of an id, so it needs no quotes and cannot be anything else. */
export const textTableOf = (datasetId: Id): string => `text_${datasetId.replaceAll('-', '')}`

/** The tokens of an index, with the number of records that hold each. */
export const wordsTableOf = (datasetId: Id): string => `${textTableOf(datasetId)}_words`

/** Every place of every token. */
export const placesTableOf = (datasetId: Id): string => `${textTableOf(datasetId)}_places`

const columnsOf = (count: number) => Array.from({ length: Math.max(1, count) }, (_, i) => `f${i}`)

export async function createTextIndex(db: Queryable, datasetId: Id, textFields: number): Promise<void> {
  const table = textTableOf(datasetId)
  const columns = columnsOf(textFields).join(', ')
  await db.sql.run(
    `create virtual table ${table} using fts5(${columns}, content='', contentless_delete=1, tokenize="${TOKENIZER}")`,
  )
  // Merging less often takes a fifth off a load (26 instead of 33 µs for a record of 80 words) and makes its longest pauses no
  // longer; searches do not notice, but that a rare word is looked up in 30 segments instead of 12: 0.20 instead of 0.15 ms.
  await db.sql.run(`insert into ${table} (${table}, rank) values ('automerge', 16)`)
  await db.sql.run(`insert into ${table} (${table}, rank) values ('crisismerge', 32)`)
  // How many segments are worth merging when there is time (mergeTexts).
  await db.sql.run(`insert into ${table} (${table}, rank) values ('usermerge', 2)`)
  // Room for the tokens of one bulk write, so that it becomes one segment.
  await db.sql.run(`insert into ${table} (${table}, rank) values ('hashsize', 8000000)`)
  // Both only look into the index and hold nothing. They are made here because readers may not create tables.
  await db.sql.run(`create virtual table ${wordsTableOf(datasetId)} using fts5vocab('${table}', 'row')`)
  await db.sql.run(`create virtual table ${placesTableOf(datasetId)} using fts5vocab('${table}', 'instance')`)
}

export async function dropTextIndex(db: Queryable, datasetId: Id): Promise<void> {
  for (const table of [wordsTableOf(datasetId), placesTableOf(datasetId), textTableOf(datasetId)]) {
    await db.sql.run(`drop table if exists ${table}`)
  }
}

export async function putTexts(
  db: Queryable,
  datasetId: Id,
  documents: readonly TextDocument[],
  options: { replace: boolean },
): Promise<void> {
  const [first] = documents
  if (first === undefined) return
  const columns = columnsOf(first.pieces.length)
  const verb = options.replace ? 'insert or replace' : 'insert'
  const marks = columns.map(() => '?').join(', ')
  const text = `${verb} into ${textTableOf(datasetId)} (rowid, ${columns.join(', ')}) values (?, ${marks})`
  const rows = documents.map(({ recordNo, pieces }) => [
    recordNo,
    ...columns.map((_, i) => {
      const texts = pieces[i] ?? null
      return texts === null ? null : toIndexText(texts)
    }),
  ])
  await db.sql.runEach(text, rows)
}

export function removeTexts(db: Queryable, datasetId: Id, recordNos: readonly number[]): Promise<void> {
  const rows = recordNos.map(recordNo => [recordNo])
  return db.sql.runEach(`delete from ${textTableOf(datasetId)} where rowid = ?`, rows)
}

/** Pages that one step of merging writes: some milliseconds of work. */
const MERGE_PAGES = 100

/**
 * One step of merging the segments that writes left behind; a word is looked up in each of them. False when there is nothing
 * left to merge.
 */
export async function mergeTexts(db: Queryable, table: string): Promise<boolean> {
  const changes = () => db.sql.get<{ count: number }>('select total_changes() as count')
  const before = await changes()
  await db.sql.run(`insert into ${table} (${table}, rank) values ('merge', ${MERGE_PAGES})`)
  // The statement itself counts as one change; more means that something was merged.
  return ((await changes())?.count ?? 0) - (before?.count ?? 0) >= 2
}
