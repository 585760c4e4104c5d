/** Creates and updates records. */
import { checkAt, DomainError, ShapeError } from '@postil/domain/errors'
import { badRequest, tooManyMetadata } from '@postil/domain/legacy/errors'
import { flattenMetadata, type Metadata, mergeDeep, type Side, type StoredRecord, withAgents } from '@postil/domain/legacy/record'
import { TASK_RULES } from '@postil/domain/legacy/rules-of'
import { labelsOfSchema } from '@postil/domain/legacy/settings'
import type { TaskRules } from '@postil/domain/legacy/task'
import type { Task } from '@postil/domain/legacy/tasks'
import { listed } from '@postil/domain/message-values'
import type { Json } from '@postil/domain/schema'
import type { Config } from '../config.ts'
import type { RequestContext } from '../context.ts'
import { WithRecords } from '../lib/answer.ts'
import { write } from '../storage/write.ts'
import { withDescription } from './datasets.ts'
import { type DatasetRef, type Facts, loadDataset, type TaskDataset, updateDataset } from './datasets-store.ts'
import { loadRecords, type StoredRow, storeRecords, type Vectors } from './records-store.ts'

/** A record of a bulk call whose shape was checked. */
export type BulkRecord = Record<string, Json> & { id?: string | number | null }

interface Bulk {
  tags?: Record<string, string> | null
  metadata?: Metadata | null
  records: BulkRecord[]
}

/** Stores all records, or none. A record whose id exists is merged with the stored one. */
export async function bulkLegacyRecords(ctx: RequestContext, place: DatasetRef & { task: Task }, given: Bulk) {
  const answer = await write(ctx, async tx => {
    const dataset = await loadDataset(ctx, tx, place, { lock: true })
    const rules = TASK_RULES[dataset.task]
    const now = ctx.now()
    const parts = given.records.map((record, i) => atRecord(i, () => toParts(ctx, rules, record)))
    checkLabels(dataset, rules, parts)
    const stored = await loadRecords(tx, dataset.no, [...new Set(parts.map(({ id }) => id))])
    const changed = new Map<string, StoredRow>()
    for (const part of parts) changed.set(part.id, merge(changed.get(part.id) ?? stored.get(part.id), part, now))
    const facts = toFacts(ctx.config, dataset.facts, parts)
    await storeRecords(tx, dataset, [...changed.values()])
    await updateDataset(tx, { ...withDescription(dataset, given, now), facts })
    return { dataset: dataset.name, processed: given.records.length, failed: 0 }
  })
  return new WithRecords(given.records.length, answer)
}

/** Reports a rule violation of a record at the same location as a shape error. */
function atRecord<T>(position: number, work: () => T): T {
  try {
    return checkAt(['body', 'records', position], work)
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    throw new ShapeError([{ type: 'value_error', loc: [...error.at], msg: error.message }])
  }
}

interface RecordParts {
  id: string
  /** Values that are merged into the stored record. */
  content: Record<string, Json>
  vectors: Vectors | null
}

function toParts({ config, newId }: RequestContext, rules: TaskRules, record: BulkRecord): RecordParts {
  const { id, metadata, event_timestamp, status, vectors } = record
  const own = rules.toStored(record)
  const side = (name: string, value: Json | undefined) =>
    value == null ? null : checkAt([name], () => rules.toStoredSide(value as Record<string, Json>, own))
  const sides = (singular: string, plural: string) => {
    const given = record[singular] as Side | null
    const map = Object.entries((record[plural] ?? {}) as Record<string, Json>).map(([agent, value]) => [
      agent,
      side(plural, value),
    ])
    return withAgents(given && ({ agent: given.agent, ...side(singular, given) } as Side), Object.fromEntries(map))
  }
  const [prediction, annotation] = [sides('prediction', 'predictions'), sides('annotation', 'annotations')]
  const given = id ?? newId()
  return {
    id: String(given),
    content: {
      id: given,
      status: status ?? 'Default',
      metadata: metadata == null ? null : flattenMetadata(metadata as Metadata, { lengthMax: config.legacyMetadataLengthMax }),
      event_timestamp: event_timestamp ?? null,
      prediction: prediction.singular,
      annotation: annotation.singular,
      predictions: prediction.map,
      annotations: annotation.map,
      ...own,
    },
    vectors: (vectors as Vectors | null) ?? null,
  }
}

function merge(stored: StoredRow | undefined, { id, content, vectors }: RecordParts, now: string): StoredRow {
  const record = mergeDeep<StoredRecord>(stored?.record ?? ({} as StoredRecord), { ...content, last_updated: now })
  return { id, record, vectors: vectors === null ? (stored?.vectors ?? null) : { ...stored?.vectors, ...vectors } }
}

function checkLabels({ settings }: TaskDataset, rules: TaskRules, parts: readonly RecordParts[]): void {
  const allowed = labelsOfSchema(settings)
  if (allowed === null) return
  const sides = parts.flatMap(({ content }) => [content.prediction, content.annotation] as (Side | null)[])
  const unknown = new Set(sides.flatMap(side => (side ? rules.labelsOf(side) : [])).filter(label => !allowed.has(label)))
  if (unknown.size > 0) {
    throw badRequest(
      `These labels are not in the label schema of the dataset: ${listed([...unknown])}. Labels: ${listed([...allowed])}`,
    )
  }
}

/** Returns the properties that all records of a dataset share. Throws if the new records contradict them. */
function toFacts(config: Config, facts: Facts, parts: readonly RecordParts[]): Facts {
  const multi = new Set(parts.flatMap(({ content }) => (typeof content.multi_label === 'boolean' ? [content.multi_label] : [])))
  if (multi.size > 1) {
    const msg = 'all records must agree on `multi_label`'
    throw new ShapeError([{ type: 'value_error', loc: ['body', 'records'], msg }])
  }
  const [multi_label = facts.multi_label] = multi
  if (facts.multi_label !== undefined && multi_label !== facts.multi_label) {
    throw badRequest(
      `The records of this dataset have \`multi_label\` ${facts.multi_label}; records with ${multi_label} cannot be added`,
    )
  }
  const keys = parts.flatMap(({ content }) =>
    Object.keys((content.metadata ?? {}) as Metadata).filter(key => !key.startsWith('_')),
  )
  const metadata_keys = [...new Set([...facts.metadata_keys, ...keys])]
  const keysMax = config.legacyMetadataKeysMax
  if (metadata_keys.length > keysMax) throw tooManyMetadata(metadata_keys.length, keysMax)
  return {
    ...(multi_label === undefined ? {} : { multi_label }),
    metadata_keys,
    vectors: toDimensions(config.legacyVectorsMax, facts, parts),
  }
}

/** The first vector of a name defines its dimensions. */
function toDimensions(vectorsMax: number, facts: Facts, parts: readonly RecordParts[]): Record<string, number> {
  const known = new Map(Object.entries(facts.vectors))
  for (const { vectors } of parts) {
    for (const [name, { value }] of Object.entries(vectors ?? {})) {
      const dimensions = known.get(name) ?? value.length
      if (dimensions !== value.length) throw badRequest(`Vector \`${name}\` has ${dimensions} dimensions, not ${value.length}`)
      known.set(name, dimensions)
    }
  }
  if (known.size > vectorsMax) throw badRequest(`A dataset may have ${vectorsMax} vectors, and this would be the ${known.size}th`)
  return Object.fromEntries(known)
}
