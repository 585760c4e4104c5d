import { PIECE_BYTES } from '@postil/domain/files'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Context } from '../context.ts'
import { appendBytes } from '../features/files/append.ts'
import { FileGone, readFileRange } from '../features/files/read.ts'
import { findFile, insertFile } from '../features/files/store.ts'
import { later } from '../lib/clock.ts'
import { OtherBytes, openPieces } from '../storage/pieces.ts'
import { openTestContext, type TestContext } from '../testing/context.ts'
import { eachDatabase } from '../testing/databases.ts'
import { createFilePruner } from './prune-files.ts'

let opened: TestContext
beforeAll(async () => {
  opened = await openTestContext()
})
afterAll(() => opened.close())

eachDatabase(db => {
  let ctx: Context
  beforeAll(() => {
    ctx = { ...opened, db: db() }
  })
  const addFile = async (expiresInSeconds: number, content: Uint8Array) => {
    const [id, now] = [ctx.newId(), ctx.now()]
    const received = await appendBytes(ctx, { fileId: id, received: 0, bytes: content, isRedone: false })
    const of = {
      kind: 'upload' as const,
      name: 'a',
      user_id: ctx.newId(),
      dataset_id: null,
      job_id: null,
      media_type: 'text/csv',
    }
    const times = { expires_at: later(now, expiresInSeconds), inserted_at: now, updated_at: now }
    await insertFile(ctx.db, { id, ...of, size: received, received, ...times })
    return id
  }

  test('files that have expired, and pieces of deleted files, are deleted; others stay', async () => {
    const content = Buffer.alloc(18 * PIECE_BYTES + 5, 'x')
    const [old, kept] = [await addFile(-1, content), await addFile(60, Buffer.from('kept'))]
    const left = ctx.newId()
    await openPieces(ctx).put(left, 0, Buffer.from('of no file'))
    let nowMs = 0
    const pruner = createFilePruner(ctx, () => nowMs)
    const prune = async () => {
      while (await pruner.step());
    }
    await prune()
    expect(await findFile(ctx.db, old)).toBeUndefined()
    await expect(readFileRange(ctx, old, { start: 0, end: 1 })).rejects.toThrow(FileGone)
    for (const id of [old, left]) expect(await openPieces(ctx).get(id, 0)).toBeNull()
    expect(Buffer.from(await readFileRange(ctx, kept, { start: 1, end: 4 })).toString()).toBe('ept')
    // The next round has not started yet, so the piece stays.
    await openPieces(ctx).put(left, 0, Buffer.from('again'))
    await prune()
    expect(await openPieces(ctx).get(left, 0)).not.toBeNull()
    nowMs = 600_000
    await prune()
    expect(await openPieces(ctx).get(left, 0)).toBeNull()
  })

  test('a piece that begins with the same bytes stays, and only a redone job replaces it with others', async () => {
    const [id, pieces] = [ctx.newId(), openPieces(ctx)]
    const text = async () => Buffer.from((await pieces.get(id, 0)) ?? '').toString()
    await pieces.put(id, 0, Buffer.from('long piece'))
    await pieces.put(id, 0, Buffer.from('long'))
    expect(await text()).toBe('long piece')
    await pieces.put(id, 0, Buffer.from('long piece, longer'))
    expect(await text()).toBe('long piece, longer')
    const other = Buffer.from('other')
    await expect(pieces.put(id, 0, other)).rejects.toThrow(OtherBytes)
    expect(await text()).toBe('long piece, longer')
    await pieces.put(id, 0, other, { isRedone: true })
    expect(await text()).toBe('other')
    // Two calls at once: one of them stores its bytes, the other one is refused.
    const last = ctx.newId()
    const both = await Promise.allSettled([Buffer.from('one'), Buffer.from('two')].map(bytes => pieces.put(last, 0, bytes)))
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })
})
