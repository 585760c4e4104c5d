/**
 * Text segments are merged in the background while records are written. The server is repeatedly killed during merges; each time
 * the segments contain the current text of every record.
 */
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createMeasuredDataset } from '../load/dataset.ts'
import { openFolders } from '../postil.ts'
import { startServer } from '../server.ts'
import { checkFolder, readNumber } from './check-folder.ts'
import { forEachKill, killDuring } from './kills.ts'
import { expectStored, RecordWriter } from './record-writer.ts'

const KILLS = 25
const WRITERS = [1, 2]

const home = openFolders()()

/** Waits until the number of segments decreases, which only a merge causes. The next merge follows soon after. */
async function mergeStored(): Promise<void> {
  let before = 0
  const isFewer = () => {
    const now = readNumber(home, 'select count(*) from text_segments')
    const fewer = now < before
    before = now
    return fewer
  }
  await expect.poll(isFewer, { interval: 1 }).toBe(true)
}

test(`the text index survives ${KILLS} kills while segments are merged`, async () => {
  let server = await startServer({ home })
  const { apiKey } = server
  const dataset = await createMeasuredDataset(server)
  // Many small segments, most of whose texts are replaced by later ones.
  const writers = WRITERS.map(no => new RecordWriter(dataset, { no, apiKey, groupsMax: 40, groupsPerCallMax: 2 }))
  await forEachKill({ seed: 30, kills: KILLS, msMax: 150 }, async afterMs => {
    await killDuring(server, writers, async () => {
      await mergeStored()
      await setTimeout(afterMs)
    })
    checkFolder(home)
    server = await startServer({ home })
    await expectStored(server, dataset, writers)
  })
  expect(await server.close()).toBe(0)
  checkFolder(home)
})
