/** Requests, awaits, downloads and unpacks exports. */
import { inflateRawSync } from 'node:zlib'
import type { Export } from '@postil/domain/exports'
import type { Id } from '@postil/domain/schema'
import { expect, vi } from 'vitest'
import type { Caller, World } from './http.ts'

const ENDED = ['finished', 'failed', 'canceled']

export const untilExported = (caller: Caller, id: Id): Promise<Export> =>
  vi.waitFor(
    async () => {
      const found = await caller.done<Export>(`GET /exports/${id}`)
      expect(ENDED).toContain(found.status)
      return found
    },
    { timeout: 120_000, interval: 50 },
  )

/** Returns the bytes of a download. */
export async function download({ server }: World, caller: Caller, path: string, headers: Record<string, string> = {}) {
  const answer = await fetch(`${server.url}/api/v1${path}`, { headers: { 'x-argilla-api-key': caller.key ?? '', ...headers } })
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) }
}

/** Runs an export and returns its file. */
export async function exportFile(world: World, caller: Caller, datasetId: Id, body: object): Promise<Buffer> {
  const { id } = await caller.done<Export>(`POST /datasets/${datasetId}/exports`, body)
  const ended = await untilExported(caller, id)
  expect(ended).toMatchObject({ status: 'finished', error: null })
  const { status, bytes } = await download(world, caller, `/exports/${id}/file`)
  expect([status, bytes.length]).toEqual([200, ended.file?.size])
  return bytes
}

export const linesOf = (bytes: Buffer): Record<string, unknown>[] =>
  bytes
    .toString()
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line))

/** Returns contents by path, from the central directory at the end of the archive. */
export function unzip(bytes: Buffer): Map<string, Buffer> {
  const end = bytes.lastIndexOf(Buffer.from('504b0506', 'hex'))
  const count = bytes.readUInt16LE(end + 10)
  const files = new Map<string, Buffer>()
  let at = bytes.readUInt32LE(end + 16)
  for (let index = 0; index < count; index++) {
    const [compressed, size] = [bytes.readUInt32LE(at + 20), bytes.readUInt32LE(at + 24)]
    const [nameLength, extraLength] = [bytes.readUInt16LE(at + 28), bytes.readUInt16LE(at + 30)]
    const name = bytes.toString('utf8', at + 46, at + 46 + nameLength)
    const local = bytes.readUInt32LE(at + 42)
    const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28)
    const content = inflateRawSync(bytes.subarray(start, start + compressed))
    expect(content.length).toBe(size)
    files.set(name, content)
    at += 46 + nameLength + extraLength
  }
  return files
}
