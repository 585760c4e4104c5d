import type { RecordComment } from '@postil/domain/notes'
import { aDataset, aRecord, SMALL } from './datasets.ts'
import type { World } from './http.ts'
import { EVERYBODY, MEMBER, MEMBER_ADMIN, type RouteCases } from './route-case.ts'

const ofRecord = async (world: World) => {
  const { id } = await aRecord(world, await aDataset(world, SMALL))
  return { params: { record_id: id } }
}

const aComment = async (world: World) => {
  const { params } = await ofRecord(world)
  return world.owner.done<RecordComment>(`POST /records/${params.record_id}/comments`, { body: 'Why?' })
}

const aFlaggedRecord = async (world: World) => {
  const dataset = await aDataset(world, SMALL)
  const record = await aRecord(world, dataset)
  await world.owner.done(`PUT /me/records/${record.id}/flag`)
  return { dataset, record }
}

export const noteCases: Record<string, RouteCases> = {
  flagRecord: { request: ofRecord, permission: MEMBER },
  unflagRecord: {
    request: async world => ({ params: { record_id: (await aFlaggedRecord(world)).record.id } }),
    permission: MEMBER,
  },
  listMyFlags: {
    request: async world => ({ params: { dataset_id: (await aFlaggedRecord(world)).dataset.id } }),
    permission: MEMBER,
  },
  listMyNotes: {
    request: async world => ({ query: `ids=${(await aFlaggedRecord(world)).record.id}` }),
    permission: EVERYBODY,
    invalid: [{ query: '', problems: [['missing', 'query', 'ids']] }],
  },
  listRecordComments: {
    request: async world => ({ params: { record_id: (await aComment(world)).record_id } }),
    permission: MEMBER,
  },
  createRecordComment: {
    request: async world => ({ ...(await ofRecord(world)), body: { body: 'Why?' } }),
    permission: MEMBER,
    invalid: [
      { body: {}, problems: [['missing', 'body', 'body']] },
      { body: { body: ' \n ' }, problems: [['string_too_short', 'body', 'body']] },
      { body: { body: 'x'.repeat(5_001) }, problems: [['string_too_long', 'body', 'body']] },
      { body: { body: 7 }, problems: [['string_type', 'body', 'body']] },
    ],
  },
  deleteRecordComment: {
    request: async world => ({ params: { comment_id: (await aComment(world)).id } }),
    permission: MEMBER_ADMIN,
  },
}
