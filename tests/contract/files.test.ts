/** Uploads: sent in pieces, resumed, and invisible to other users. */
import { PIECE_BYTES, UPLOADS_MAX, type Upload } from '@postil/domain/files'
import type { Id } from '@postil/domain/schema'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectForbidden, expectRefused } from './answers.ts'
import { aMember, type Caller, openWorld, type World } from './http.ts'

let world: World
let admin: Caller
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.close())
const aUploader = () => aMember(world, 'admin')
beforeAll(async () => {
  admin = await aUploader()
})

/** Bytes that depend on their position. */
const bytesFrom = (start: number, length: number) => {
  const bytes = new Uint8Array(length)
  for (let at = 0; at < length; at++) bytes[at] = ((start + at) * 2_654_435_761) >>> 24
  return bytes
}

const begin = (size: number, caller = admin) => caller.done<Upload>('POST /uploads', { name: 'rows.csv', size })
const put = (id: Id, offset: number, bytes: Uint8Array<ArrayBuffer> | string, caller = admin) =>
  caller.send<Upload>(`PUT /uploads/${id}/content?offset=${offset}`, bytes)

describe('an upload', () => {
  test('arrives in pieces of any length, and is complete when all bytes are there', async () => {
    const sizes = [1, PIECE_BYTES - 1, PIECE_BYTES, 2 * PIECE_BYTES + 5, 3 * PIECE_BYTES - 5, 7]
    const size = sizes.reduce((sum, length) => sum + length, 0)
    const { id, ...upload } = await begin(size)
    expect(upload).toMatchObject({ name: 'rows.csv', size, received: 0, complete: false })
    let offset = 0
    for (const length of sizes) {
      const answer = await put(id, offset, bytesFrom(offset, length))
      offset += length
      expect(answer).toMatchObject({ status: 200, body: { received: offset, complete: offset === size } })
      expect(await admin.done(`GET /uploads/${id}`)).toEqual(answer.body)
    }
    // Repeating stored bytes is accepted if they are the same, but not if they differ.
    expect(await put(id, 5, bytesFrom(5, 2 * PIECE_BYTES))).toMatchObject({ status: 200, body: { received: size } })
    expect(await put(id, 5, bytesFrom(6, 2 * PIECE_BYTES))).toMatchObject({ status: 409 })
    expect((await put(id, size, 'more')).status).toBe(422)
  })

  test('names the offset that it expects', async () => {
    const { id } = await begin(100)
    await put(id, 0, bytesFrom(0, 10))
    for (const offset of [9, 11, 50]) {
      const answer = await put(id, offset, bytesFrom(offset, 10))
      expect(answer.status).toBe(409)
      expect(answer.text).toContain('offset=10')
    }
    expect((await put(id, 10, '')).status).toBe(422)
    expect((await put(id, 10, bytesFrom(10, 91))).status).toBe(422)
  })

  test('counts the same bytes once, also if they are sent several times at once', async () => {
    const { id } = await begin(3 * PIECE_BYTES)
    const lengths = [2 * PIECE_BYTES, PIECE_BYTES + 7, 2 * PIECE_BYTES, 10]
    const answers = await Promise.all(lengths.map(length => put(id, 0, bytesFrom(0, length))))
    for (const { status } of answers) expect([200, 409]).toContain(status)
    const { received } = await admin.done<Upload>(`GET /uploads/${id}`)
    expect(lengths).toContain(received)
    expect((await put(id, 0, bytesFrom(0, received))).status).toBe(200)
    expect((await put(id, received, bytesFrom(received, 3 * PIECE_BYTES - received))).body).toMatchObject({ complete: true })
    expect((await put(id, PIECE_BYTES / 2, bytesFrom(PIECE_BYTES / 2, 2 * PIECE_BYTES))).status).toBe(200)
  })

  test('keeps the bytes that were acknowledged when others are sent to the same place at once', async () => {
    for (const length of [10, PIECE_BYTES + 7]) {
      for (let round = 0; round < 8; round++) {
        const { id } = await begin(2 * PIECE_BYTES)
        if (round % 2 === 1) await put(id, 0, bytesFrom(0, 5))
        const { received } = await admin.done<Upload>(`GET /uploads/${id}`)
        const contents = [0, 1, 2].map(shift => bytesFrom(received + shift, length))
        const answers = await Promise.all(contents.map(content => put(id, received, content)))
        expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
        for (const [at, { status }] of answers.entries()) {
          expect((await put(id, received, contents[at] as Uint8Array<ArrayBuffer>)).status).toBe(status)
        }
        await admin.done(`DELETE /uploads/${id}`)
      }
    }
  })

  test('is refused if it is too large, or its name is not one', async () => {
    const create = (body: object) => admin.send('POST /uploads', body)
    expect((await create({ name: 'a', size: 64 * PIECE_BYTES + 1 })).text).toContain('SERVICE_UPLOAD_BYTES_MAX')
    for (const name of ['../x', 'a\\b', 'a\nb', 'a\0']) expect((await create({ name, size: 1 })).status).toBe(422)
    const { id } = await begin(20 * PIECE_BYTES)
    expect((await put(id, 0, new Uint8Array(8 * PIECE_BYTES + 1))).status).toBe(413)
    expect((await put(id, 0, new Uint8Array(8 * PIECE_BYTES))).status).toBe(200)
  })

  test('is one of few', async () => {
    const other = await aUploader()
    const ids: Id[] = []
    for (let at = 0; at < UPLOADS_MAX; at++) ids.push((await begin(1, other)).id)
    expect(await other.send('POST /uploads', { name: 'one more', size: 1 })).toMatchObject({
      status: 409,
      body: { code: 'conflict' },
    })
    await other.done(`DELETE /uploads/${ids[0]}`)
    await begin(1, other)
  })

  test('is seen and changed by nobody else', async () => {
    const { id } = await begin(10)
    for (const other of [world.owner, world.memberAdmin]) {
      expectRefused(await other.send(`GET /uploads/${id}`), 404)
      expectRefused(await put(id, 0, 'abc', other), 404)
      expectRefused(await other.send(`DELETE /uploads/${id}`), 404)
    }
    expectForbidden(await world.memberAnnotator.send(`GET /uploads/${id}`))
    expectForbidden(await put(id, 0, 'abc', world.memberAnnotator))
    expect(await admin.done(`DELETE /uploads/${id}`)).toMatchObject({ id, received: 0 })
    expectRefused(await admin.send(`GET /uploads/${id}`), 404)
    expectRefused(await put(id, 0, 'abc'), 404)
  })
})
