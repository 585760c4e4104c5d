/**
 * No acknowledged write is lost, and no bulk request is stored partially. Clients create, upsert and delete records in bulk, submit,
 * change and delete responses to the same records, or replace texts while segments are merged. At each moment the folder must be
 * consistent and contain exactly the acknowledged writes, status and counts of records must match their responses, and the
 * segments must contain the current text of every record.
 */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMeasuredDataset } from '../load/dataset.ts'
import { openFolders } from '../postil.ts'
import { type StartedServer, startServer } from '../server.ts'
import { expectAnswered, openResponders } from './annotators.ts'
import { checkCopy, checkFolder } from './check-folder.ts'
import { forEachMoment } from './moments.ts'
import { readsOfCopy, readsOfServer, withCopyOpen } from './open-copy.ts'
import { expectStored, RecordWriter } from './record-writer.ts'

const KILLS = 5
const COPIES_PER_KILL = 4

const newFolder = openFolders()
const home = newFolder()
const copyTo = newFolder()
let server: StartedServer
beforeAll(async () => {
  server = await startServer({ home })
})
afterAll(() => server?.close())

async function restart(): Promise<void> {
  checkFolder(home)
  server = await startServer({ home })
}

test(`acknowledged bulk writes and responses survive ${KILLS} kills, and are in ${KILLS * COPIES_PER_KILL} copies`, async () => {
  const { apiKey } = server
  const dataset = await createMeasuredDataset(server)
  // Requests with 5 to 75 records: the checker thread prepares large ones, the writer thread small ones.
  const writers = [1, 2, 3].map(no => new RecordWriter(dataset, { no, apiKey, groupsMax: 20, groupsPerCallMax: 15 }))
  const { datasetId, responders } = await openResponders(server)
  await forEachMoment(
    { seed: 20, kills: KILLS, copiesPerKill: COPIES_PER_KILL, msMax: 50 },
    {
      server: () => server,
      clients: [...writers, ...responders],
      copyTo,
      checkCopy: async copy => {
        await checkCopy(copy)
        await withCopyOpen(copy, async ctx => {
          await expectStored(readsOfCopy(ctx, apiKey, dataset.id), writers, 'copy')
          await expectAnswered(readsOfCopy(ctx, apiKey, datasetId), responders, 'copy')
        })
      },
      checkKilled: async () => {
        await restart()
        await expectStored(readsOfServer(server, dataset.id), writers, 'kill')
        await expectAnswered(readsOfServer(server, datasetId), responders, 'kill')
      },
    },
  )
  expect(responders.filter(responder => responder.submitted() === 0)).toEqual([])
})

/** Waits until the number of segments decreases, which only a merge causes. The next merge follows soon after. */
async function mergeStored(datasetId: string): Promise<void> {
  const database = new DatabaseSync(join(home, 'postil.db'), { readOnly: true, timeout: 10_000 })
  const count = database.prepare('select count(*) as segments from text_segments where dataset_id = ?')
  try {
    for (let before = 0; ; await setTimeout(1)) {
      const segments = Number(count.get(datasetId)?.segments)
      if (segments < before) return
      before = segments
    }
  } finally {
    database.close()
  }
}

test(`the text index survives ${KILLS} kills while segments are merged, and is in ${KILLS * COPIES_PER_KILL} copies`, async () => {
  const { apiKey } = server
  const dataset = await createMeasuredDataset(server)
  // Many small segments, most of whose texts are replaced by later ones.
  const writers = [1, 2].map(no => new RecordWriter(dataset, { no, apiKey, groupsMax: 20, groupsPerCallMax: 2 }))
  await forEachMoment(
    { seed: 30, kills: KILLS, copiesPerKill: COPIES_PER_KILL, msMax: 30 },
    {
      server: () => server,
      clients: writers,
      event: () => mergeStored(dataset.id),
      copyTo,
      checkCopy: async copy => {
        await checkCopy(copy)
        await withCopyOpen(copy, ctx => expectStored(readsOfCopy(ctx, apiKey, dataset.id), writers, 'copy'))
      },
      checkKilled: async () => {
        await restart()
        await expectStored(readsOfServer(server, dataset.id), writers, 'kill')
      },
    },
  )
  expect(await server.close()).toBe(0)
  checkFolder(home)
})
