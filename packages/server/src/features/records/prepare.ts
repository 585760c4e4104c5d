/**
 * Prepares a bulk write as far as it only needs the dataset's settings: validation, rows, and the words as a text segment.
 *
 * A large bulk is prepared in the checker thread, so that the writer thread only stores it; a small one inside the transaction
 * that stores it. Both run `prepareItems`.
 */
import { DomainError } from '@postil/domain/errors'
import { checkUpsertItems, type RecordFields, type RecordUpsert, toStoredFields } from '@postil/domain/records'
import type { Id } from '@postil/domain/schema'
import type { Config } from '../../config.ts'
import type { Context } from '../../context.ts'
import { PrepareAgain } from '../../lib/answer.ts'
import type { TextDocument } from '../../search/engine.ts'
import { buildUnnumberedSegment, hasSegments } from '../../search/source/store-segment.ts'
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
  /** Stamp of the settings it was prepared with. */
  stamp: string
  items: PreparedItem[]
  /**
   * One text segment; document `i` is the text of item `i`. Its record numbers are assigned when it is stored. Empty if there is
   * no text to store.
   */
  texts: Uint8Array
}

export interface PreparedItem {
  id: Id | null
  external_id: string | null
  /** Null if the item violates a rule or has no fields; its rules then depend on the stored record. */
  content: RecordContent | null
  /** The original item if it has no content. */
  given: RecordUpsert | null
}

/** The stored data of an item. */
export interface RecordContent {
  /** JSON; null if there are no fields. */
  fields: string | null
  /** JSON; undefined if there is no metadata. */
  metadata: string | null | undefined
  suggestions: SuggestionContent[]
  responses: ResponseContent[]
  vectors: VectorContent[]
}

/** Accepts every user id, because users are looked up and checked when the bulk is stored. */
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
    const isChecked = hasFields(item) && isValid(settings, item)
    const fields = isChecked ? toStoredFields(item.fields as RecordFields, settings.rules) : null
    if (hasSegments(config)) texts.push(toTextPieces(settings, fields))
    if (!isChecked) return { id, external_id, content: null, given: item }
    return { id, external_id, content: toContent(settings, item, fields), given: null }
  })
  return {
    stamp: settingsStampOf(dataset),
    items: prepared,
    texts: hasSegments(config) ? buildUnnumberedSegment(texts) : new Uint8Array(),
  }
}

/** If there are fields, the same rules apply to new and existing records, only in a different order. */
function isValid({ rules }: DatasetSettings, item: RecordUpsert): boolean {
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

/** Prepares the items of a call, unless they are prepared already. Throws `PrepareAgain` if the settings have changed since. */
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

/** Runs the remaining checks: users, and all rules of an item without content. `row` is the record that the item changes. */
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
  // The segment lacks the words of this item.
  if (hasFields(item)) throw new Error('An item that broke a rule when it was prepared breaks none now')
  return toContent(settings, item, null)
}

export const responseUserIds = (items: readonly PreparedItem[]): Id[] => [
  ...new Set(items.flatMap(({ content, given }) => (content ?? given)?.responses?.map(response => response.user_id) ?? [])),
]

/** Prepares records outside the writer thread. Returns null if the dataset does not exist; the use case reports that. */
export async function prepareRecords(ctx: Context, datasetId: Id, items: readonly RecordUpsert[]): Promise<Uint8Array | null> {
  checkChatLengths(ctx, items, atItem)
  const found = await ctx.db.snapshot(async db => {
    const dataset = await findDataset(db, datasetId)
    return dataset && { dataset, settings: await loadDatasetSettings(db, dataset) }
  })
  // Runs after the snapshot has ended, because a snapshot blocks the checkpoint of the write-ahead log.
  return found && toPreparedBytes(prepareItems(ctx.config, found.dataset, found.settings, items))
}

export function prepareUpsert(ctx: Context, datasetId: Id, items: readonly RecordUpsert[]): Promise<Uint8Array | null> {
  checkUpsertItems(items)
  return prepareRecords(ctx, datasetId, items)
}
