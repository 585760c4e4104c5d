/** Random writes to a dataset through the use cases. */
import { DomainError } from '@postil/domain/errors'
import type { MetadataPropertyCreate } from '@postil/domain/metadata-properties'
import type { ResponseUpsert } from '@postil/domain/responses'
import type { Id } from '@postil/domain/schema'
import fc from 'fast-check'
import type { RequestContext } from '../../../context.ts'
import { updateDataset } from '../../../features/datasets/update.ts'
import { createMetadataProperty } from '../../../features/metadata-properties/create.ts'
import { deleteMetadataProperty } from '../../../features/metadata-properties/delete.ts'
import { createRecordComment } from '../../../features/notes/comments.ts'
import { flagRecord, unflagRecord } from '../../../features/notes/flags.ts'
import { updateQuestion } from '../../../features/questions/update.ts'
import { createRecordsBulk } from '../../../features/records/create-bulk.ts'
import { deleteRecords } from '../../../features/records/delete.ts'
import { updateRecord, updateRecords } from '../../../features/records/update.ts'
import { upsertRecordsBulk } from '../../../features/records/upsert-bulk.ts'
import { deleteResponse, upsertResponsesBulk } from '../../../features/responses/write.ts'
import { deleteSuggestion, putSuggestion } from '../../../features/suggestions/write.ts'
import { deleteUser } from '../../../features/users/delete.ts'
import { DATASET_NO } from '../../../storage/dataset-numbers.ts'
import { actAs } from '../../../testing/context.ts'
import { aRecord, aResponse, type Draw, someFields, someMetadata, someSuggestions, toRecord, toSuggestions } from './arbitrary.ts'
import { type FollowedDataset, PROPERTIES, settingsOf } from './dataset.ts'

/** A write to the dataset. It selects its targets by index among the existing items. */
export type DatasetWrite = (followed: FollowedDataset) => Promise<unknown>

const at = <T>(list: readonly T[], index: number): T | undefined => list[index % Math.max(1, list.length)]

function listIds({ ctx, datasetId }: FollowedDataset, table: 'records' | 'responses' | 'metadata_properties'): Promise<Id[]> {
  const ofDataset = table === 'metadata_properties' ? 'dataset_id = ?' : `dataset_no = ${DATASET_NO}`
  const text = `select id from ${table} where ${ofDataset} order by ${table === 'records' ? 'no' : 'id'}`
  return ctx.db.sql.column<Id>(text, [datasetId])
}

const pick = fc.nat(1_000)

/** A write to one record; does nothing if there are no records. */
const aboutRecord =
  (index: number, write: (followed: FollowedDataset, recordId: Id) => Promise<unknown>): DatasetWrite =>
  async followed => {
    const recordId = at(await listIds(followed, 'records'), index)
    if (recordId !== undefined) await write(followed, recordId)
  }

const by = ({ annotators, owner }: FollowedDataset, index: number): RequestContext => at(annotators, index) ?? owner

export const EXTERNAL_IDS = ['x', 'Y', 'é']

export const toItems = (draws: readonly Draw[], { questionIds, annotators }: FollowedDataset) => {
  const userIds = annotators.map(({ actor }) => actor.id)
  return draws.map(draw => toRecord(draw, questionIds, userIds))
}

const records: fc.Arbitrary<DatasetWrite>[] = [
  fc
    .array(aRecord, { minLength: 1, maxLength: 3 })
    .map(draws => followed => createRecordsBulk(followed.owner, followed.datasetId, toItems(draws, followed))),
  fc
    .uniqueArray(fc.tuple(fc.constantFrom(...EXTERNAL_IDS), aRecord), { selector: ([name]) => name, minLength: 1 })
    .map(named => followed => {
      const items = toItems(
        named.map(([, draw]) => draw),
        followed,
      ).map((item, i) => ({ ...item, external_id: named[i]?.[0] ?? null }))
      return upsertRecordsBulk(followed.owner, followed.datasetId, items)
    }),
  fc
    .tuple(pick, someFields, someMetadata)
    .map(([index, fields, metadata]) => aboutRecord(index, ({ owner }, id) => updateRecord(owner, id, { fields, metadata }))),
  fc
    .tuple(pick, someMetadata, someSuggestions)
    .map(([index, metadata, suggested]) =>
      aboutRecord(index, ({ owner, datasetId, questionIds }, id) =>
        updateRecords(owner, datasetId, [{ id, metadata, suggestions: toSuggestions(suggested, questionIds) }]),
      ),
    ),
  pick.map(index => aboutRecord(index, ({ owner, datasetId }, id) => deleteRecords(owner, datasetId, id))),
]

const answers: fc.Arbitrary<DatasetWrite>[] = [
  fc.tuple(pick, pick, aResponse).map(([index, user, response]) =>
    aboutRecord(index, async (followed, record_id) => {
      const { items } = await upsertResponsesBulk(by(followed, user), [{ ...response, record_id } as ResponseUpsert])
      if (items[0]?.error) throw new Error(JSON.stringify(items[0].error))
    }),
  ),
  pick.map(index => async followed => {
    const id = at(await listIds(followed, 'responses'), index)
    if (id !== undefined) await deleteResponse(followed.owner, id, {})
  }),
  fc.tuple(pick, someSuggestions).map(([index, suggested]) =>
    aboutRecord(index, async ({ owner, questionIds }, id) => {
      for (const suggestion of toSuggestions(suggested, questionIds))
        await putSuggestion(owner, id, suggestion, { replace: true })
    }),
  ),
  pick.map(index => async ({ ctx, owner, datasetId }) => {
    const text =
      'select s.id from suggestions s join records r on r.no = s.record_no where r.dataset_no = (select no from dataset_heads where dataset_id = ?) order by s.id'
    const id = at(await ctx.db.sql.column<Id>(text, [datasetId]), index)
    if (id !== undefined) await deleteSuggestion(owner, id)
  }),
]

const notes: fc.Arbitrary<DatasetWrite>[] = [
  fc.tuple(pick, pick).map(([index, user]) => aboutRecord(index, (followed, id) => flagRecord(by(followed, user), id))),
  pick.map(index => async ({ ctx, annotators, datasetId }) => {
    const text = `select f.record_id, f.user_id from record_flags f join records r on r.id = f.record_id
      where r.dataset_no = (select no from dataset_heads where dataset_id = ?) order by f.record_id, f.user_id`
    const flag = at(await ctx.db.sql.all<{ record_id: Id; user_id: Id }>(text, [datasetId]), index)
    const person = annotators.find(({ actor }) => actor.id === flag?.user_id)
    if (flag && person) await unflagRecord(person, flag.record_id)
  }),
  fc
    .tuple(pick, pick)
    .map(([index, user]) => aboutRecord(index, (followed, id) => createRecordComment(by(followed, user), id, { body: 'hm' }))),
]

const LATER: MetadataPropertyCreate[] = [
  { name: 'later', title: 'Later', settings: { type: 'terms', values: null } },
  { name: 'later', title: 'Later', settings: { type: 'integer', min: 0, max: null } },
  { name: 'later', title: 'Later', settings: { type: 'float', min: null, max: 2 } },
]

const settings: fc.Arbitrary<DatasetWrite>[] = [
  fc.constantFrom(...PROPERTIES, ...LATER).map(property => async ({ ctx, owner, datasetId }) => {
    const { metadataProperties } = await settingsOf(ctx.db, datasetId)
    if (!metadataProperties.some(({ name }) => name === property.name)) await createMetadataProperty(owner, datasetId, property)
  }),
  pick.map(index => async followed => {
    const id = at(await listIds(followed, 'metadata_properties'), index)
    if (id !== undefined) await deleteMetadataProperty(followed.owner, id)
  }),
  fc.tuple(fc.constantFrom('label', 'note'), fc.constantFrom('One', 'Two')).map(
    ([name, title]) =>
      ({ owner, questionIds }) =>
        updateQuestion(owner, questionIds.get(name) ?? '', { title }),
  ),
  fc.nat(2).map(
    more =>
      ({ owner, datasetId }) =>
        updateDataset(owner, datasetId, { distribution: { strategy: 'overlap', min_submitted: 1 + more } }),
  ),
  // Replaces an annotator with a new one.
  pick.map(index => async ({ ctx, owner, annotators, workspaceId }) => {
    const leaver = index % annotators.length
    await deleteUser(owner, annotators[leaver]?.actor.id ?? '')
    annotators[leaver] = await actAs(ctx, 'annotator', [workspaceId])
  }),
]

export const aWrite: fc.Arbitrary<DatasetWrite> = fc.oneof(
  { weight: 3, arbitrary: fc.oneof(...records) },
  { weight: 3, arbitrary: fc.oneof(...answers) },
  { weight: 2, arbitrary: fc.oneof(...notes) },
  { weight: 1, arbitrary: fc.oneof(...settings) },
)

/** True if a write was correctly rejected because a property was added for `later` that does not accept the value. */
export const isRefused = (error: unknown): boolean =>
  error instanceof DomainError && /^Metadata property `later`|is not a term of metadata property `later`/.test(error.message)
