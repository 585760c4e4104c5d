/**
 * All of a bulk write that needs only the dataset's settings: the rules, the rows, and the words as a text segment.
 *
 * A large bulk is prepared in the checker thread, so that the writer thread only stores it; a small one inside the transaction that
 * stores it. Both run `prepareItems`.
 */
import { DomainError } from '@postil/domain/errors'
import { checkUpsertItems, type RecordFields, type RecordUpsert, toStoredFields } from '@postil/domain/records'
import type { Id } from '@postil/domain/schema'
import type { Config } from '../../config.ts'
import type { Context, RequestContext } from '../../context.ts'
import { PrepareAgain } from '../../lib/answer.ts'
import type { TextDocument } from '../../search/engine.ts'
import { buildTexts, hasSegments } from '../../search/source/store-segment.ts'
import { type DatasetSettings, loadDatasetSettings, settingsStampOf } from '../datasets/settings.ts'
import { findDataset, type StoredDataset } from '../datasets/store.ts'
import { atItem, checkChangedRecord, checkChatLengths, checkNewRecord, checkUsersKnown, hasFields } from './check-item.ts'
import { toPreparedBytes } from './prepared-bytes.ts'
import {
  type ResponseContent,
  type SuggestionContent,
  toResponseContent,
  toSuggestionContent,
  toTextPieces,
  toVectorContents,
  type VectorContent,
} from './rows.ts'
import type { RecordRow } from './store.ts'

export interface PreparedBulk {
  /** Of the settings it was prepared with. */
  stamp: string
  items: PreparedItem[]
  /** One text segment; document `i` is the text of item `i`. Its record numbers are given when it is stored. Empty if none is stored. */
  texts: Uint8Array
}

export interface PreparedItem {
  id: Id | null
  external_id: string | null
  /** Null if the item breaks a rule, or gives no fields: then its rules depend on the record that is stored. */
  content: RecordContent | null
  /** The item as it was given, if it has no content. */
  given: RecordUpsert | null
}

/** What is stored of an item. */
export interface RecordContent {
  /** JSON; null if none are given. */
  fields: string | null
  /** JSON; undefined if none is given. */
  metadata: string | null | undefined
  suggestions: SuggestionContent[]
  responses: ResponseContent[]
  vectors: VectorContent[]
}

/** Users are looked up and checked when the bulk is stored. */
const EVERYBODY = { has: () => true }

function prepareItems(
  config: Config,
  dataset: StoredDataset,
  settings: DatasetSettings,
  items: readonly RecordUpsert[],
): PreparedBulk {
  const texts: TextDocument['pieces'][] = []
  const prepared = items.map((item): PreparedItem => {
    const { id = null, external_id = null } = item
    const isChecked = hasFields(item) && keepsRules(settings, item)
    const fields = isChecked ? toStoredFields(item.fields as RecordFields, settings.rules) : null
    if (hasSegments(config)) texts.push(toTextPieces(settings, fields))
    if (!isChecked) return { id, external_id, content: null, given: item }
    return { id, external_id, content: toContent(settings, item, fields), given: null }
  })
  return { stamp: settingsStampOf(dataset), items: prepared, texts: hasSegments(config) ? buildTexts(texts) : new Uint8Array() }
}

/** If fields are given, a new record and a changed one have the same rules, in another order. */
function keepsRules({ rules }: DatasetSettings, item: RecordUpsert): boolean {
  try {
    checkNewRecord(item, rules, EVERYBODY)
    return true
  } catch (error) {
    if (error instanceof DomainError) return false
    throw error
  }
}

const toContent = (settings: DatasetSettings, item: RecordUpsert, fields: RecordFields | null): RecordContent => ({
  fields: fields && JSON.stringify(fields),
  metadata: item.metadata && JSON.stringify(item.metadata),
  suggestions: (item.suggestions ?? []).map(suggestion => toSuggestionContent(settings, suggestion)),
  responses: (item.responses ?? []).map(toResponseContent),
  vectors: toVectorContents(settings, item.vectors),
})

/** Prepares what a call gives, unless that is done already. Throws `PrepareAgain` if the settings have changed since. */
export function toPrepared(
  { config }: Pick<Context, 'config'>,
  given: readonly RecordUpsert[] | PreparedBulk,
  dataset: StoredDataset,
  settings: DatasetSettings,
): PreparedBulk {
  if (!('stamp' in given)) return prepareItems(config, dataset, settings, given)
  if (given.stamp !== settingsStampOf(dataset)) throw new PrepareAgain()
  return given
}

/** The checks that were left: users, and all rules of an item without content. `row` is the record that the item changes. */
export function toCheckedContent(
  settings: DatasetSettings,
  { content, given }: PreparedItem,
  userIds: ReadonlySet<string>,
  row: RecordRow | undefined,
): RecordContent {
  if (content) {
    checkUsersKnown(content.responses, userIds)
    return content
  }
  const item = given ?? {}
  if (row)
    checkChangedRecord(item, settings.rules, (hasFields(item) ? item.fields : JSON.parse(row.fields)) as RecordFields, userIds)
  else checkNewRecord(item, settings.rules, userIds)
  // Its words are not in the segment.
  if (hasFields(item)) throw new Error('An item that broke a rule when it was prepared breaks none now')
  return toContent(settings, item, null)
}

export const responseUserIds = (items: readonly PreparedItem[]): Id[] => [
  ...new Set(items.flatMap(({ content, given }) => (content ?? given)?.responses?.map(response => response.user_id) ?? [])),
]

/** Prepares records in another thread than the writer. Null if there is no such dataset: the use case says so, in its turn. */
export async function prepareRecords(
  ctx: RequestContext,
  datasetId: Id,
  items: readonly RecordUpsert[],
): Promise<Uint8Array | null> {
  checkChatLengths(ctx, items, atItem)
  const found = await ctx.db.snapshot(async db => {
    const dataset = await findDataset(db, datasetId)
    return dataset && { dataset, settings: await loadDatasetSettings(db, dataset) }
  })
  // After the snapshot, which keeps the write-ahead log from being emptied.
  return found && toPreparedBytes(prepareItems(ctx.config, found.dataset, found.settings, items))
}

export function prepareUpsert(ctx: RequestContext, datasetId: Id, items: readonly RecordUpsert[]): Promise<Uint8Array | null> {
  checkUpsertItems(items)
  return prepareRecords(ctx, datasetId, items)
}
