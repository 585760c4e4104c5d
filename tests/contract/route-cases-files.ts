/** Cases of uploads. Routes with an id are only for the user who created the upload, see files.test.ts. */
import type { Id } from '@postil/domain/schema'
import type { World } from './http.ts'
import type { RouteCases } from './route-case.ts'

const CONTENT = 'a,b\n1,2\n'

/** Uploads of earlier cases, to be deleted because the number of uploads per user is limited. */
const uploads: Id[] = []
async function aFreshUpload(world: World): Promise<Id> {
  for (const id of uploads.splice(0)) await world.owner.send(`DELETE /uploads/${id}`)
  const { id } = await world.owner.done<{ id: Id }>('POST /uploads', { name: 'rows.csv', size: CONTENT.length })
  uploads.push(id)
  return id
}

export const fileCases: Record<string, RouteCases> = {
  createUpload: {
    request: async world => {
      await aFreshUpload(world)
      return { body: { name: 'rows.csv', size: 8 } }
    },
    permission: { admin: 'Y', annotator: '-' },
    invalid: [
      {
        body: {},
        problems: [
          ['missing', 'body', 'name'],
          ['missing', 'body', 'size'],
        ],
      },
      {
        body: { name: '', size: 0 },
        problems: [
          ['string_too_short', 'body', 'name'],
          ['greater_than_equal', 'body', 'size'],
        ],
      },
    ],
  },
  getUpload: { request: async world => ({ params: { upload_id: await aFreshUpload(world) } }) },
  putUploadContent: {
    request: async world => ({ params: { upload_id: await aFreshUpload(world) }, query: 'offset=0', body: CONTENT }),
    invalid: [
      { query: '', problems: [['missing', 'query', 'offset']] },
      { query: 'offset=-1', problems: [['greater_than_equal', 'query', 'offset']] },
    ],
  },
  deleteUpload: { request: async world => ({ params: { upload_id: await aFreshUpload(world) } }) },
}
