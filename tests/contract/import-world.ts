/** Uploads files and imports them. */
import { PIECE_BYTES, type Upload } from '@postil/domain/files'
import type { Import } from '@postil/domain/imports'
import type { Id } from '@postil/domain/schema'
import { expect, vi } from 'vitest'
import type { Caller } from './http.ts'

const CHUNK_BYTES = 4 * PIECE_BYTES

/** Uploads a file, in several requests if it is large. */
export async function upload(caller: Caller, name: string, content: string | Uint8Array): Promise<Id> {
  const bytes = new Uint8Array(Buffer.from(content))
  const { id } = await caller.done<Upload>('POST /uploads', { name, size: bytes.length })
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    await caller.done(`PUT /uploads/${id}/content?offset=${at}`, bytes.slice(at, at + CHUNK_BYTES))
  }
  return id
}

const ENDED = ['finished', 'failed', 'canceled']

export function untilImported(caller: Caller, id: Id): Promise<Import> {
  return vi.waitFor(
    async () => {
      const imported = await caller.done<Import>(`GET /imports/${id}`)
      expect(ENDED).toContain(imported.status)
      return imported
    },
    { timeout: 120_000, interval: 50 },
  )
}

export const TEXT_MAPPING = { fields: [{ source: 'text', target: 'text' }] }

export interface ImportOptions {
  datasetId: Id
  name?: string
  content: string | Uint8Array
  body?: object
}

/** Uploads, imports and waits for the end. Deletes the upload, because the number of uploads per user is limited. */
export async function importFile(
  caller: Caller,
  { datasetId, name = 'rows.csv', content, body = {} }: ImportOptions,
): Promise<Import> {
  const upload_id = await upload(caller, name, content)
  const { id } = await caller.done<Import>(`POST /datasets/${datasetId}/imports`, { upload_id, mapping: TEXT_MAPPING, ...body })
  const imported = await untilImported(caller, id)
  await caller.done(`DELETE /uploads/${upload_id}`)
  return imported
}
