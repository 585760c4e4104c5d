/**
 * No acknowledged write is lost, and no bulk request is stored partially. The server is repeatedly killed while clients create,
 * upsert and delete records in bulk; each time the folder must be consistent and contain exactly the acknowledged writes.
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

test(`acknowledged writes survive ${KILLS} kills during bulk writes`, async () => {
  let server = await startServer({ home })
  const { apiKey } = server
  const dataset = await createMeasuredDataset(server)
  // Requests with 10 to 150 records: the checker thread prepares large ones, the writer thread small ones.
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
