/** A dataset whose records are given as search documents, in the real tables: what engines are tested with. */

import type { Id } from '@postil/domain/schema'
import type { SearchDocument } from '@postil/domain/search/document'
import { searchNaively } from '@postil/domain/search/naive'
import type { SearchBody, SearchQuery } from '@postil/domain/search/query'
import { resolveSearch } from '@postil/domain/search/resolve'
import type { SearchDataset } from '@postil/domain/search/targets'
import { plainDocument } from '@postil/domain/testing/plain-search'
import type { Context } from '../context.ts'
import { insertMetadataValues } from '../features/records/metadata-store.ts'
import { insertRecords } from '../features/records/store.ts'
import { insertResponses, insertResponseTerms } from '../features/responses/store.ts'
import { insertSuggestions, insertSuggestionTerms } from '../features/suggestions/store.ts'
import { putVectors } from '../features/vectors/store.ts'
import type { Queryable } from '../storage/database.ts'
import { actAs, addWorkspace } from '../testing/context.ts'
import type { SearchedDataset, TextDocument } from './engine.ts'
import { recordShuffle } from './shuffle.ts'

export const TEXT_FIELDS = ['prompt', 'reply']
export const ANN = 0
export const BEN = 1

export interface Corpus {
  id: Id
  dataset: SearchDataset
  /** Ids of two annotators. */
  users: [Id, Id]
  numbers: Map<Id, number>
  /** Filled by `addDocuments`. */
  documents: SearchDocument[]
  recordNos: Map<Id, number>
}

/** Ids by name. */
export const propertyId = (corpus: Corpus, name: string): Id =>
  corpus.dataset.metadata_properties.find(item => item.name === name)?.id ?? ''
export const questionId = (corpus: Corpus, name: string): Id =>
  corpus.dataset.questions.find(item => item.name === name)?.id ?? ''
export const vectorsId = (corpus: Corpus): Id => corpus.dataset.vectors_settings[0]?.id ?? ''

export async function openCorpus(ctx: Context, textFields: string[] = TEXT_FIELDS): Promise<Corpus> {
  const { kysely } = ctx.db
  const id = ctx.newId()
  const times = { inserted_at: ctx.now(), updated_at: ctx.now() }
  const workspaceId = await addWorkspace(ctx)
  await kysely
    .insertInto('datasets')
    .values({
      id,
      workspace_id: workspaceId,
      name: 'corpus',
      guidelines: null,
      allow_extra_metadata: 1,
      status: 'ready',
      distribution: '{}',
      metadata: null,
      ...times,
    })
    .execute()
  const corpus: Corpus = {
    id,
    dataset: {
      fields: [...textFields, 'picture'].map(name => ({ name })),
      questions: [
        { id: ctx.newId(), name: 'topic', searchAs: 'keyword' },
        { id: ctx.newId(), name: 'stars', searchAs: 'integer' },
        { id: ctx.newId(), name: 'note', searchAs: 'none' },
      ],
      metadata_properties: [
        { id: ctx.newId(), name: 'source', searchAs: 'keyword', visible_for_annotators: true },
        { id: ctx.newId(), name: 'length', searchAs: 'integer', visible_for_annotators: true },
        { id: ctx.newId(), name: 'weight', searchAs: 'float', visible_for_annotators: true },
      ],
      vectors_settings: [{ id: ctx.newId(), name: 'embed', dimensions: 3 }],
    },
    users: [(await actAs(ctx, 'annotator')).actor.id, (await actAs(ctx, 'annotator')).actor.id],
    numbers: new Map(),
    documents: [],
    recordNos: new Map(),
  }
  for (const { id: itemId, name } of corpus.dataset.questions) {
    const values = { id: itemId, dataset_id: id, name, title: name, description: null, required: 0, settings: '{}', ...times }
    corpus.numbers.set(itemId, (await kysely.insertInto('questions').values(values).returning('no').executeTakeFirstOrThrow()).no)
  }
  for (const { id: itemId, name } of corpus.dataset.metadata_properties) {
    const values = { id: itemId, dataset_id: id, name, title: name, settings: '{}', visible_for_annotators: 1, ...times }
    corpus.numbers.set(
      itemId,
      (await kysely.insertInto('metadata_properties').values(values).returning('no').executeTakeFirstOrThrow()).no,
    )
  }
  for (const { id: itemId, name, dimensions } of corpus.dataset.vectors_settings) {
    const values = { id: itemId, dataset_id: id, name, title: name, dimensions, ...times }
    corpus.numbers.set(
      itemId,
      (await kysely.insertInto('vectors_settings').values(values).returning('no').executeTakeFirstOrThrow()).no,
    )
  }
  await ctx.db.transaction(tx => ctx.search.prepare(tx, id, textFields.length))
  return corpus
}

/** A key with its values, or nothing when there are none: to be spread into a map. */
export const given = <Key, T>(key: Key, value: T | T[] | null | undefined): [Key, T[]][] =>
  value == null ? [] : [[key, Array.isArray(value) ? value : [value]]]

/** A record without anything, to be spread into fuller ones. */
export const blankDocument = (ctx: Context): SearchDocument => ({
  ...plainDocument(ctx.newId()),
  inserted_at: ctx.now(),
  updated_at: ctx.now(),
})

const textFieldsOf = (corpus: Corpus) => corpus.dataset.fields.map(field => field.name).filter(name => name !== 'picture')

export function toTextDocument(corpus: Corpus, document: SearchDocument): TextDocument {
  const pieces = textFieldsOf(corpus).map(name => document.text.get(name) ?? null)
  return { recordNo: corpus.recordNos.get(document.id) ?? -1, pieces }
}

export async function addDocuments(ctx: Context, corpus: Corpus, documents: readonly SearchDocument[]): Promise<void> {
  await ctx.db.transaction(async tx => {
    const nos = await tx.sql.reserveNumbers('records', documents.length)
    for (const [i, document] of documents.entries()) corpus.recordNos.set(document.id, nos[i] ?? -1)
    await writeRecords(tx, corpus, documents)
    for (const document of documents) await writeRelations(ctx, tx, corpus, document)
    await ctx.search.put(
      tx,
      corpus.id,
      documents.map(document => toTextDocument(corpus, document)),
      { replace: false },
    )
  })
  corpus.documents.push(...documents)
}

async function writeRecords(tx: Queryable, corpus: Corpus, documents: readonly SearchDocument[]): Promise<void> {
  const rows = documents.map(({ id, external_id, status, inserted_at, updated_at }) => ({
    no: corpus.recordNos.get(id) ?? -1,
    id,
    dataset_id: corpus.id,
    external_id,
    status,
    shuffle: recordShuffle(id),
    fields: '{}',
    metadata: null,
    inserted_at,
    updated_at,
  }))
  await insertRecords(tx, rows)
}

async function writeRelations(ctx: Context, tx: Queryable, corpus: Corpus, document: SearchDocument): Promise<void> {
  const record_no = corpus.recordNos.get(document.id) ?? -1
  const noOf = (id: Id) => corpus.numbers.get(id) ?? -1
  const times = { inserted_at: ctx.now(), updated_at: ctx.now() }
  const values = [...document.metadata].flatMap(([id, values]) =>
    values.map(value => ({ property_no: noOf(id), record_no, value })),
  )
  await insertMetadataValues(tx, values)
  for (const [id, { values, scores, agent, type }] of document.suggestions) {
    const [score_min, score_max] = scores.length === 0 ? [null, null] : [Math.min(...scores), Math.max(...scores)]
    const score = scores.length === 0 ? null : JSON.stringify(scores.length === 1 ? scores[0] : scores)
    const row = {
      id: ctx.newId(),
      record_no,
      question_no: noOf(id),
      type,
      value: 'null',
      score,
      score_min,
      score_max,
      agent,
      ...times,
    }
    await insertSuggestions(tx, [row], { overwrite: false })
    await insertSuggestionTerms(
      tx,
      values.map(value => ({ question_no: noOf(id), value: String(value), record_no })),
    )
  }
  for (const { user_id, status, values } of document.responses) {
    const row = { id: ctx.newId(), record_no, dataset_id: corpus.id, user_id, status, values: '{}', ...times }
    await insertResponses(tx, [row], { overwrite: false })
    const terms = [...values].flatMap(([id, values]) =>
      values.map(value => ({ question_no: noOf(id), value: String(value), user_id, record_no })),
    )
    await insertResponseTerms(tx, terms)
  }
  const flags = document.flags.map(user_id => ({ record_id: document.id, user_id, inserted_at: ctx.now() }))
  if (flags.length > 0) await tx.kysely.insertInto('record_flags').values(flags).execute()
  const vectors = [...document.vectors].map(([id, value]) => ({ record_no, vectors_settings_no: noOf(id), value }))
  await putVectors(tx, vectors, { replace: false })
}

export interface Found {
  ids: Id[]
  scores: (number | null)[]
  total: number
}

export const toSearched = (corpus: Corpus, published = true): SearchedDataset => ({
  id: corpus.id,
  published,
  textFields: textFieldsOf(corpus),
  records_count: corpus.documents.length,
  completed_count: corpus.documents.filter(document => document.status === 'completed').length,
  min_submitted: 2,
})

export async function runQuery(ctx: Context, corpus: Corpus, query: SearchQuery, published = true): Promise<Found> {
  const { hits, total } = await ctx.search.search(ctx.db, toSearched(corpus, published), query)
  const idOf = new Map([...corpus.recordNos].map(([id, no]) => [no, id]))
  return { ids: hits.map(hit => idOf.get(hit.recordNo) ?? '?'), scores: hits.map(hit => hit.score), total }
}

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
  ctx: Context,
  corpus: Corpus,
  query: SearchQuery,
): Promise<{ found: Found; expected: { ids: Id[]; total: number } }> {
  return { found: await runQuery(ctx, corpus, query), expected: searchNaively(corpus.documents, query) }
}
