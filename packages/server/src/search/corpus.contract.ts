/**
 * Datasets for testing the engines. They are written and read through use cases, so an engine needs only what these store.
 *
 * The documents of the oracle are derived from the records that the API returns.
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
import { type DatasetSettings, toSearchedDataset } from '../features/datasets/settings.ts'
import { listMyFlags } from '../features/notes/flags.ts'
import { createRecordsBulk } from '../features/records/create-bulk.ts'
import { listRecords } from '../features/records/search.ts'
import { toSearchDataset } from '../features/records/search-dataset.ts'
import type { SearchedDataset } from './engine.ts'
import { createFollowedDataset, type FollowedDataset, loadWithSettings } from './source/testing/dataset.ts'

export const ANN = 0
export const BEN = 1

/** A snapshot of a dataset. */
export interface Corpus {
  followed: FollowedDataset
  /** Ids of two annotators. */
  users: [Id, Id]
  dataset: SearchDataset
  searched: SearchedDataset
  documents: SearchDocument[]
  /** Record ids by record number. */
  ids: Map<number, Id>
}

/** A text field with one piece. */
export const textField = (name: string): FieldCreate => ({ name, title: name, settings: { type: 'text' } })

/** `prompt` may have several pieces, as a list: `{ texts: ['one', 'two'] }`. */
const TEXT_FIELDS: FieldCreate[] = [
  { name: 'prompt', title: 'Prompt', settings: { type: 'custom', template: '' } },
  textField('reply'),
]
/** A dataset needs at least one required field. This one has no text, so the text fields can stay optional. */
const PICTURE_FIELD: FieldCreate = { name: 'picture', title: 'Picture', required: true, settings: { type: 'image' } }
export const PICTURE = 'https://example.com/a.png'

const toOptions = (...values: string[]) => values.map(value => ({ value, text: value }))
const RATINGS = Array.from({ length: 5 }, (_, i) => ({ value: i + 1 }))
/** A dataset needs at least one required question: `checked`, which no test queries. */
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

export function createTestDataset(ctx: Context, textFields = TEXT_FIELDS): Promise<FollowedDataset> {
  return createFollowedDataset(ctx, {
    fields: [...textFields, PICTURE_FIELD],
    questions: QUESTIONS,
    properties: PROPERTIES,
    vectors: [{ name: 'embed', title: 'Embed', dimensions: 3 }],
  })
}

/** Creates the records in the given order. */
export async function addRecords({ owner, datasetId }: FollowedDataset, items: readonly Partial<RecordCreate>[]): Promise<void> {
  const complete = items.map(item => ({ ...item, fields: { picture: PICTURE, ...item.fields } }))
  for (let start = 0; start < complete.length; start += RECORDS_BULK_MAX)
    await createRecordsBulk(owner, datasetId, complete.slice(start, start + RECORDS_BULK_MAX))
}

/** Reads the stored state of the dataset. */
export async function readCorpus(followed: FollowedDataset): Promise<Corpus> {
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
    searched: toSearchedDataset(dataset, settings),
    documents: records.map(record => toDocument(record, settings.documents)),
    ids: new Map(rows.map(({ no, id }) => [no, id])),
  }
}

async function listStored(followed: FollowedDataset, { vectorsSettings }: DatasetSettings): Promise<StoredRecord[]> {
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

/** Lists all records. This route reads the tables directly, without the search engine. */
async function listShown({ owner, datasetId }: FollowedDataset): Promise<DatasetRecord[]> {
  const include = ['responses', 'suggestions', 'vectors']
  const shown: DatasetRecord[] = []
  for (;;) {
    const { text } = await listRecords(owner, 'all', datasetId, { offset: shown.length, limit: PAGE_LIMIT_MAX, include })
    const { items }: { items: DatasetRecord[] } = JSON.parse(text)
    shown.push(...items)
    if (items.length < PAGE_LIMIT_MAX) return shown
  }
}

export interface SearchResult {
  ids: Id[]
  scores: (number | null)[]
  total: number
}

/** Runs a search on the engine, with the dataset and within a snapshot as in the search routes. */
export async function runQuery({ followed: { ctx }, searched, ids }: Corpus, query: SearchQuery): Promise<SearchResult> {
  const { hits, total } = await ctx.db.snapshot(() => ctx.search.search(searched, query))
  return { ids: hits.map(hit => ids.get(hit.recordNo) ?? '?'), scores: hits.map(hit => hit.score), total }
}

/** Runs a count on the engine in the same way. */
export function runCounts({ followed: { ctx }, searched }: Corpus, query: CountQuery): Promise<Counts> {
  return ctx.db.snapshot(() => ctx.search.count(searched, query))
}

/** The same corpus as an unpublished dataset, which has no index. */
export const toDraft = (corpus: Corpus): Corpus => ({ ...corpus, searched: { ...corpus.searched, published: false } })

export interface QueryOptions {
  /** The caller, on `/me` routes. */
  userId?: Id
  offset?: number
  limit?: number
}

export function toQuery(corpus: Corpus, body: SearchBody, { userId, offset = 0, limit = 1000 }: QueryOptions = {}): SearchQuery {
  return resolveSearch(body, corpus.dataset, {
    userId: userId ?? null,
    hidesMetadata: false,
    now: '2026-11-15T12:00:00.000001',
    offset,
    limit,
  })
}

/** Returns the results of the engine and of the oracle. */
export async function compare(
  corpus: Corpus,
  query: SearchQuery,
): Promise<{ found: SearchResult; expected: { ids: Id[]; total: number } }> {
  return { found: await runQuery(corpus, query), expected: searchNaively(corpus.documents, query) }
}
