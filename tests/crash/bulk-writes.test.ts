/**
 * Nothing that was answered is lost, and no bulk is stored in part. The server is killed again and again, without warning, while programs
 * create, upsert and delete records in bulk; each time the folder must be right and hold exactly what was answered.
 */
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createMeasuredDataset } from '../load/dataset.ts'
import { openFolders } from '../postil.ts'
import { startServer } from '../server.ts'
import { checkFolder } from './check-folder.ts'
import { forEachKill, killDuring } from './kills.ts'
import { expectStored, RecordWriter } from './record-writer.ts'

const KILLS = 25
const WRITERS = [1, 2, 3]

const home = openFolders()()

test(`what was answered survives ${KILLS} kills during bulk writes`, async () => {
  let server = await startServer({ home })
  const { apiKey } = server
  const dataset = await createMeasuredDataset(server)
  // Calls of 10 to 150 records: large ones are prepared by the checker thread, small ones by the writer.
  const writers = WRITERS.map(no => new RecordWriter(dataset, { no, apiKey, groupsMax: 40, groupsPerCallMax: 15 }))
  await forEachKill({ seed: 20, kills: KILLS, msMax: 300 }, async afterMs => {
    await killDuring(server, writers, () => setTimeout(afterMs))
    checkFolder(home)
    server = await startServer({ home })
    await expectStored(server, dataset, writers)
  })
  expect(await server.close()).toBe(0)
  checkFolder(home)
})
