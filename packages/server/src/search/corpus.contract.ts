/**
 * Datasets that engines are tested with. Use cases write and read them, so an engine needs nothing but what they store.
 *
 * The oracle's documents are made of the records as the API shows them.
 */

import type { FieldCreate } from '@postil/domain/fields'
import type { MetadataPropertyCreate } from '@postil/domain/metadata-properties'
import type { QuestionCreate } from '@postil/domain/questions'
import { type DatasetRecord, RECORDS_BULK_MAX, type RecordCreate } from '@postil/domain/records'
import type { Id } from '@postil/domain/schema'
import type { CountQuery, Counts } from '@postil/domain/search/counts'
import { type SearchDocument, type StoredRecord, toDocument } from '@postil/domain/search/document'
import { searchNaively } from '@postil/domain/search/naive'
import { PAGE_LIMIT_MAX, type SearchBody, type SearchQuery } from '@postil/domain/search/query'
import { resolveSearch } from '@postil/domain/search/resolve'
import type { SearchDataset } from '@postil/domain/search/targets'
import type { Context } from '../context.ts'
import { type DatasetSettings, toSearched } from '../features/datasets/settings.ts'
import { listMyFlags } from '../features/notes/flags.ts'
import { createRecordsBulk } from '../features/records/create-bulk.ts'
import { listRecords } from '../features/records/search.ts'
import { toSearchDataset } from '../features/records/search-dataset.ts'
import type { SearchedDataset } from './engine.ts'
import { addFollowed, type Followed, loadWithSettings } from './source/testing/dataset.ts'

export const ANN = 0
export const BEN = 1

/** A dataset at one moment. */
export interface Corpus {
  followed: Followed
  /** Ids of two annotators. */
  users: [Id, Id]
  dataset: SearchDataset
  searched: SearchedDataset
  documents: SearchDocument[]
  /** Ids of records by their numbers. */
  ids: Map<number, Id>
}

/** A text of one piece. */
export const textField = (name: string): FieldCreate => ({ name, title: name, settings: { type: 'text' } })

/** `prompt` may have several pieces, as a list: `{ texts: ['one', 'two'] }`. */
const TEXT_FIELDS: FieldCreate[] = [
  { name: 'prompt', title: 'Prompt', settings: { type: 'custom', template: '' } },
  textField('reply'),
]
/** Some field must be required: this one, which has no text. */
const PICTURE_FIELD: FieldCreate = { name: 'picture', title: 'Picture', required: true, settings: { type: 'image' } }
export const PICTURE = 'https://example.com/a.png'

const toOptions = (...values: string[]) => values.map(value => ({ value, text: value }))
const RATINGS = Array.from({ length: 5 }, (_, i) => ({ value: i + 1 }))
/** Some question must be required: `checked`, about which nothing is asked. */
const QUESTIONS: QuestionCreate[] = [
  { name: 'topic', title: 'Topic', settings: { type: 'multi_label_selection', options: toOptions('food', 'drink') } },
  { name: 'stars', title: 'Stars', settings: { type: 'rating', options: RATINGS } },
  { name: 'note', title: 'Note', settings: { type: 'text' } },
  { name: 'checked', title: 'Checked', required: true, settings: { type: 'label_selection', options: toOptions('yes', 'no') } },
]
const PROPERTIES: MetadataPropertyCreate[] = [
  { name: 'source', title: 'Source', settings: { type: 'terms', values: null } },
  { name: 'length', title: 'Length', settings: { type: 'integer', min: null, max: null } },
  { name: 'weight', title: 'Weight', settings: { type: 'float', min: null, max: null } },
]

export function openDataset(ctx: Context, textFields = TEXT_FIELDS): Promise<Followed> {
  return addFollowed(ctx, {
    fields: [...textFields, PICTURE_FIELD],
    questions: QUESTIONS,
    properties: PROPERTIES,
    vectors: [{ name: 'embed', title: 'Embed', dimensions: 3 }],
  })
}

/** In the order given. */
export async function addRecords({ owner, datasetId }: Followed, items: readonly Partial<RecordCreate>[]): Promise<void> {
  const complete = items.map(item => ({ ...item, fields: { picture: PICTURE, ...item.fields } }))
  for (let start = 0; start < complete.length; start += RECORDS_BULK_MAX)
    await createRecordsBulk(owner, datasetId, complete.slice(start, start + RECORDS_BULK_MAX))
}

/** What is stored now. */
export async function readCorpus(followed: Followed): Promise<Corpus> {
  const { ctx, annotators, datasetId } = followed
  const { dataset, settings } = await loadWithSettings(ctx.db, datasetId)
  const records = await listStored(followed, settings)
  const rows = await ctx.db.sql.all<{ no: number; id: Id }>(
    'select no, id from records where dataset_no = (select no from dataset_heads where dataset_id = ?)',
    [datasetId],
  )
  return {
    followed,
    users: annotators.map(({ actor }) => actor.id) as [Id, Id],
    dataset: toSearchDataset(settings),
    searched: toSearched(dataset, settings),
    documents: records.map(record => toDocument(record, settings.documents)),
    ids: new Map(rows.map(({ no, id }) => [no, id])),
  }
}

async function listStored(followed: Followed, { vectorsSettings }: DatasetSettings): Promise<StoredRecord[]> {
  const { owner, annotators, datasetId } = followed
  const flags: { record_id: Id; user_id: Id }[] = []
  for (const person of [owner, ...annotators]) {
    const { items } = await listMyFlags(person, datasetId)
    flags.push(...items.map(({ record_id }) => ({ record_id, user_id: person.actor.id })))
  }
  const flagsOf = Map.groupBy(flags, flag => flag.record_id)
  return (await listShown(followed)).map(({ suggestions = [], responses = [], vectors = {}, ...record }) => ({
    ...record,
    suggestions,
    responses,
    flags: (flagsOf.get(record.id) ?? []).map(({ user_id }) => user_id),
    vectors: new Map(vectorsSettings.flatMap(({ id, name }) => (vectors[name] === undefined ? [] : [[id, vectors[name]]]))),
  }))
}

/** The list of all records is read from the records themselves: no engine takes part in it. */
async function listShown({ owner, datasetId }: Followed): Promise<DatasetRecord[]> {
  const include = ['responses', 'suggestions', 'vectors']
  const shown: DatasetRecord[] = []
  for (;;) {
    const { text } = await listRecords(owner, 'all', datasetId, { offset: shown.length, limit: PAGE_LIMIT_MAX, include })
    const { items }: { items: DatasetRecord[] } = JSON.parse(text)
    shown.push(...items)
    if (items.length < PAGE_LIMIT_MAX) return shown
  }
}

export interface Found {
  ids: Id[]
  scores: (number | null)[]
  total: number
}

/** The engine's answer. It gets the dataset as the search routes hand it over, inside a snapshot as they have one. */
export async function runQuery({ followed: { ctx }, searched, ids }: Corpus, query: SearchQuery): Promise<Found> {
  const { hits, total } = await ctx.db.snapshot(() => ctx.search.search(searched, query))
  return { ids: hits.map(hit => ids.get(hit.recordNo) ?? '?'), scores: hits.map(hit => hit.score), total }
}

/** The engine's counts, asked for in the same way. */
export function runCounts({ followed: { ctx }, searched }: Corpus, query: CountQuery): Promise<Counts> {
  return ctx.db.snapshot(() => ctx.search.count(searched, query))
}

/** As long as a dataset is not published, it has no index. */
export const toDraft = (corpus: Corpus): Corpus => ({ ...corpus, searched: { ...corpus.searched, published: false } })

export interface Asking {
  /** The caller, on `/me` routes. */
  userId?: Id
  offset?: number
  limit?: number
}

export function toQuery(corpus: Corpus, body: SearchBody, { userId, offset = 0, limit = 1000 }: Asking = {}): SearchQuery {
  return resolveSearch(body, corpus.dataset, {
    userId: userId ?? null,
    hidesMetadata: false,
    now: '2026-11-15T12:00:00.000001',
    offset,
    limit,
  })
}

/** The engine's answer and the oracle's. */
export async function compare(
  corpus: Corpus,
  query: SearchQuery,
): Promise<{ found: Found; expected: { ids: Id[]; total: number } }> {
  return { found: await runQuery(corpus, query), expected: searchNaively(corpus.documents, query) }
}
