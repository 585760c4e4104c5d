/** Cases of imports of files. */
import type { Import } from '@postil/domain/imports'
import type { Id } from '@postil/domain/schema'
import { aDataset, SMALL } from './datasets.ts'
import type { World } from './http.ts'
import { importFile, TEXT_MAPPING, upload } from './import-world.ts'
import { MEMBER_ADMIN, type RouteCases } from './route-case.ts'

/** Uploads of earlier cases, to be deleted because the number of uploads per user is limited. */
const uploads: Id[] = []
async function anUpload({ owner }: World): Promise<Id> {
  for (const id of uploads.splice(0)) await owner.send(`DELETE /uploads/${id}`)
  const id = await upload(owner, 'rows.csv', 'text\nhello\n')
  uploads.push(id)
  return id
}

async function anImport(world: World): Promise<Id> {
  const { id: datasetId } = await aDataset(world, SMALL)
  // One of its rows is rejected.
  return (await importFile(world.owner, { datasetId, content: 'text,other\nhello,1\n,2\n' })).id
}

async function aQueuedImport(world: World): Promise<Id> {
  const { id } = await aDataset(world, SMALL)
  const rows = Array.from({ length: 20_000 }, (_, row) => `text ${row}`)
  const upload_id = await upload(world.owner, 'rows.csv', `text\n${rows.join('\n')}`)
  uploads.push(upload_id)
  const body = { upload_id, mapping: TEXT_MAPPING }
  return (await world.owner.done<Import>(`POST /datasets/${id}/imports`, body)).id
}

export const importCases: Record<string, RouteCases> = {
  previewUpload: {
    request: async world => ({ params: { upload_id: await anUpload(world) }, body: {} }),
    invalid: [
      {
        body: { source: { format: 'pdf', encoding: 'utf-7', separator: ';;' }, rows: 101 },
        problems: [
          ['enum', 'body', 'source', 'format'],
          ['enum', 'body', 'source', 'encoding'],
          ['string_too_long', 'body', 'source', 'separator'],
          ['less_than_equal', 'body', 'rows'],
        ],
      },
    ],
  },
  createImport: {
    request: async world => ({
      params: { dataset_id: (await aDataset(world, SMALL)).id },
      body: { upload_id: await anUpload(world), mapping: TEXT_MAPPING },
    }),
    invalid: [
      {
        body: {},
        problems: [
          ['missing', 'body', 'upload_id'],
          ['missing', 'body', 'mapping'],
        ],
      },
      {
        body: { upload_id: 'x', mapping: { fields: [], suggestions: [{}] }, on_conflict: 'replace', stop_after_rejects: 0 },
        problems: [
          ['uuid_parsing', 'body', 'upload_id'],
          ['too_short', 'body', 'mapping', 'fields'],
          ['missing', 'body', 'mapping', 'suggestions', 0, 'target'],
          ['missing', 'body', 'mapping', 'suggestions', 0, 'value'],
          ['enum', 'body', 'on_conflict'],
          ['greater_than_equal', 'body', 'stop_after_rejects'],
        ],
      },
    ],
  },
  getImport: { request: async world => ({ params: { import_id: await anImport(world) } }), permission: MEMBER_ADMIN },
  listImports: {
    request: async world => ({ params: { dataset_id: (await aDataset(world, SMALL)).id } }),
    permission: MEMBER_ADMIN,
    invalid: [
      {
        query: 'limit=0&before=x',
        problems: [
          ['greater_than_equal', 'query', 'limit'],
          ['uuid_parsing', 'query', 'before'],
        ],
      },
    ],
  },
  cancelImport: { request: async world => ({ params: { import_id: await aQueuedImport(world) } }), permission: MEMBER_ADMIN },
  getImportRejects: { request: async world => ({ params: { import_id: await anImport(world) } }), permission: MEMBER_ADMIN },
}
