import type { Id } from '@postil/domain/schema'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { insertHead } from '../storage/changes.ts'
import type { Database } from '../storage/database.ts'
import { write } from '../storage/write.ts'
import { openTestContext, type TestContext } from '../testing/context.ts'
import { eachDatabase } from '../testing/databases.ts'
import { inProcess } from '../testing/processes.ts'
import { type DatasetWatch, openDatasetWatch } from './dataset-watch.ts'
import { logChange, type Notice } from './emit.ts'
import { openLive } from './subscribers/live.ts'

let opened: TestContext
beforeAll(async () => {
  opened = await openTestContext()
})
afterAll(() => opened.close())

describe('those who follow a dataset', () => {
  eachDatabase((db, openAnother) => {
    let here: TestContext
    let elsewhere: TestContext
    let other: Database
    let watch: DatasetWatch
    let watched: Id[]
    let ids: Id[]
    let listener: Parameters<TestContext['live']['listen']>[0]
    beforeAll(() => {
      other = openAnother()
      elsewhere = { ...inProcess(opened, other), subscribers: [] }
    })
    afterAll(() => other.close())
    beforeEach(async () => {
      ids = [opened.newId(), opened.newId()]
      for (const id of ids) await insertHead(db(), id, opened.now())
      const process = inProcess(opened, db())
      listener = () => {}
      const subscriber = openLive(batch => listener(batch))
      const live: TestContext['live'] = {
        watch: datasetIds => {
          watched = datasetIds
          subscriber.watch(datasetIds)
        },
        listen: told => {
          listener = told
        },
      }
      here = { ...process, live, subscribers: [subscriber] }
      watch = openDatasetWatch(here)
    })
    afterEach(() => watch.close())

    const log = (ctx: TestContext, dataset_id: Id) => write(ctx, async tx => logChange(tx, { name: 'flag.created', dataset_id }))
    const follow = (datasetId = ids[0] ?? '') => {
      const heads: number[] = []
      return { heads, stop: watch.follow(datasetId, { onHead: changeNo => void heads.push(changeNo) }) }
    }

    test('are told its head at first', async () => {
      await log(elsewhere, ids[0] ?? '')
      const { heads } = follow()
      await expect.poll(() => heads.at(-1)).toBe(1)
    })

    test('are told what this process and others write, and nothing of other datasets', async () => {
      const [one, same, two] = [follow(), follow(), follow(ids[1])]
      await log(here, ids[0] ?? '')
      await expect.poll(() => one.heads.at(-1)).toBe(1)
      await log(elsewhere, ids[0] ?? '')
      await expect.poll(() => one.heads.at(-1)).toBe(2)
      await expect.poll(() => same.heads.at(-1)).toBe(2)
      expect(Math.max(...two.heads)).toBe(0)
      expect(one.heads).toEqual(one.heads.toSorted((a, b) => a - b))
    })

    test('are told to look if news of other processes were lost', async () => {
      const names: string[] = []
      const heads: number[] = []
      const onNotices = (notices: readonly Notice[]) => void names.push(...notices.map(({ name }) => name))
      watch.follow(ids[0] ?? '', { onHead: changeNo => void heads.push(changeNo), onNotices })
      await expect.poll(() => heads).toEqual([0])
      await log(elsewhere, ids[0] ?? '')
      listener({ heads: new Map(), notices: [], isLost: true })
      expect(names).toEqual(['many-changes'])
      await expect.poll(() => heads.at(-1)).toBe(1)
    })

    test('are told nothing any more when they stop, and the last one ends the watch', async () => {
      const [one, same] = [follow(), follow()]
      await expect.poll(() => same.heads.at(-1)).toBe(0)
      one.stop()
      const before = one.heads.length
      await log(here, ids[0] ?? '')
      await expect.poll(() => same.heads.at(-1)).toBe(1)
      expect([one.heads.length, watched]).toEqual([before, [ids[0]]])
      same.stop()
      same.stop()
      expect(watched).toEqual([])
    })
  })
})
