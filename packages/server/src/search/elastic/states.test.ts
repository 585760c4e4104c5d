import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ElasticConfig } from '../../search-settings.ts'
import type { TestContext } from '../../testing/context.ts'
import { type EngineClient, openClient } from './client.ts'
import { LeaseLost } from './errors.ts'
import { createStates } from './states.ts'
import { openClusterContext, TEST_CLUSTER } from './testing/cluster.ts'

describe.skipIf(TEST_CLUSTER === null)('states of indexes', () => {
  let ctx: TestContext
  let client: EngineClient
  const open = (leaseMs = 60_000) => createStates({ client, indexPrefix: ctx.config.elastic?.indexPrefix ?? '', leaseMs })
  beforeAll(async () => {
    ctx = await openClusterContext()
    client = openClient(ctx.config.elastic as ElasticConfig)
  })
  afterAll(async () => {
    await client.close()
    await ctx.close()
  })

  test('there is none at first; what the holder saves is found by all', async () => {
    expect(await open().find('a')).toBeNull()
    expect(await open().list(['a'])).toEqual(new Map())
    const held = await open().take('a')
    await held?.save({ change_no: 5, index: 'i' })
    await held?.save({ fill: { after: 3, ids: ['x'] } })
    expect(await open().find('a')).toMatchObject({ change_no: 5, index: 'i', fill: { after: 3, ids: ['x'] }, settings: null })
    expect([...(await open().list(['a', 'b'])).keys()]).toEqual(['a'])
  })

  test('one holder at a time, until it gives the lease back', async () => {
    const held = await open().take('b')
    expect(await open().take('b')).toBeNull()
    await held?.save({ change_no: 2 })
    await held?.release()
    const next = await open().take('b')
    expect(next?.state.change_no).toBe(2)
    await next?.remove()
    expect(await open().find('b')).toBeNull()
  })

  test('of many who want it at once, one gets it', async () => {
    const taken = await Promise.all(Array.from({ length: 8 }, () => open().take('c')))
    expect(taken.filter(held => held !== null)).toHaveLength(1)
  })

  test('a lease that is not renewed is taken over, and whoever had it can save nothing more', async () => {
    const lost = await open().take('d')
    const other = open(0)
    // The first attempt only records the version of the state.
    expect(await other.take('d')).toBeNull()
    const held = await other.take('d')
    expect(held).not.toBeNull()
    await expect(lost?.save({ change_no: 9 })).rejects.toThrow(LeaseLost)
    expect(() => lost?.check()).toThrow(LeaseLost)
    await held?.save({ change_no: 1 })
    expect(await other.find('d')).toMatchObject({ change_no: 1 })
    await lost?.release()
    await expect(lost?.remove()).rejects.toThrow(LeaseLost)
    await held?.remove()
  })

  test('a holder renews its lease, however long a step takes', async () => {
    const held = await open().take('e')
    const other = open(2_500)
    for (let i = 0; i < 8; i++) {
      expect(await other.take('e')).toBeNull()
      await new Promise(resolve => setTimeout(resolve, 500))
    }
    await held?.remove()
  }, 20_000)
})
