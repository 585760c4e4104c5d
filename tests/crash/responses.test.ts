/**
 * No acknowledged response is lost. The server is repeatedly killed while several users submit, change and delete responses to
 * the same records, one by one and in bulk; each time all acknowledged responses are stored, and the status of each record
 * matches them.
 */
import { setTimeout } from 'node:timers/promises'
import type { Dataset } from '@postil/domain/datasets'
import type { DatasetRecord, RecordsBulk } from '@postil/domain/records'
import type { User } from '@postil/domain/users'
import type { Workspace } from '@postil/domain/workspaces'
import { expect, test } from 'vitest'
import { aUser, type Caller, caller } from '../contract/http.ts'
import { LABELS } from '../load/corpus.ts'
import { openFolders } from '../postil.ts'
import { type StartedServer, startServer } from '../server.ts'
import { checkFolder } from './check-folder.ts'
import { forEachKill, killDuring } from './kills.ts'
import { Responder } from './responder.ts'

const KILLS = 25
const RECORDS = 200
const ANNOTATORS = 4

const home = openFolders()()

/** Two users must submit before a record is completed. */
async function createDataset(owner: Caller, workspace_id: string): Promise<string> {
  const distribution = { strategy: 'overlap', min_submitted: 2 }
  const { id } = await owner.done<Dataset>('POST /datasets', { name: 'answered', workspace_id, distribution })
  await owner.done(`POST /datasets/${id}/fields`, { name: 'text', title: 'Text', required: true, settings: { type: 'text' } })
  const options = LABELS.map(value => ({ value, text: value }))
  const topic = { name: 'topic', title: 'Topic', required: true, settings: { type: 'label_selection', options } }
  const comment = { name: 'comment', title: 'Comment', required: false, settings: { type: 'text' } }
  for (const question of [topic, comment]) await owner.done(`POST /datasets/${id}/questions`, question)
  await owner.done(`PUT /datasets/${id}/publish`)
  return id
}

async function openResponders(server: StartedServer): Promise<{ datasetId: string; responders: Responder[] }> {
  const owner = caller(server.url, server.apiKey)
  const [workspace] = (await owner.done<{ items: Workspace[] }>('GET /me/workspaces')).items
  const datasetId = await createDataset(owner, workspace?.id ?? '')
  const items = Array.from({ length: RECORDS }, (_, i) => ({ fields: { text: `record ${i}` } }))
  const created = await owner.done<RecordsBulk>(`POST /datasets/${datasetId}/records/bulk`, { items })
  const recordIds = created.items.map(({ id }) => id)
  const { id } = await owner.done<User>('GET /me')
  const responders = [new Responder({ no: 0, userId: id, apiKey: server.apiKey, recordIds })]
  for (let no = 1; no <= ANNOTATORS; no++) {
    const { id: user_id, key } = await aUser(server.url, owner, 'annotator')
    await owner.done(`POST /workspaces/${workspace?.id}/users`, { user_id })
    responders.push(new Responder({ no, userId: user_id, apiKey: key ?? '', recordIds }))
  }
  return { datasetId, responders }
}

/** After a kill and a restart, every acknowledged response is stored, and searches and counts match. */
async function expectStored(server: StartedServer, datasetId: string, responders: readonly Responder[]): Promise<void> {
  const owner = caller(server.url, server.apiKey)
  const path = `/datasets/${datasetId}/records`
  const { items } = await owner.done<{ items: DatasetRecord[] }>(`GET ${path}?limit=1000&include=responses`)
  expect(items.length).toBe(RECORDS)
  for (const responder of responders) {
    responder.settle(items)
    const me = caller(server.url, responder.apiKey)
    const found = await me.done<{ total: number }>(`POST /me${path}/search?response_status=submitted&limit=1`, {})
    const metrics = await me.done<{ responses: { submitted: number } }>(`GET /me/datasets/${datasetId}/metrics`)
    expect([found.total, metrics.responses.submitted]).toEqual([responder.submitted(), responder.submitted()])
  }
}

test(`acknowledged responses survive ${KILLS} kills`, async () => {
  let server = await startServer({ home })
  const { datasetId, responders } = await openResponders(server)
  await forEachKill({ seed: 40, kills: KILLS, msMax: 200 }, async afterMs => {
    await killDuring(server, responders, () => setTimeout(afterMs))
    checkFolder(home)
    server = await startServer({ home })
    await expectStored(server, datasetId, responders)
  })
  expect(responders.filter(responder => responder.submitted() === 0)).toEqual([])
  expect(await server.close()).toBe(0)
  checkFolder(home)
})
