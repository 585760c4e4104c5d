/** A dataset to which several users respond. */
import type { Dataset } from '@postil/domain/datasets'
import type { RecordsBulk } from '@postil/domain/records'
import type { User } from '@postil/domain/users'
import type { Workspace } from '@postil/domain/workspaces'
import { expect } from 'vitest'
import { aUser, type Caller, caller } from '../contract/http.ts'
import { LABELS } from '../load/corpus.ts'
import type { StartedServer } from '../server.ts'
import type { Reads } from './open-copy.ts'
import { Responder } from './responder.ts'

const RECORDS = 200
const ANNOTATORS = 4

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

export async function openResponders(server: StartedServer): Promise<{ datasetId: string; responders: Responder[] }> {
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

/** Every acknowledged response is stored, and searches and counts match. */
export async function expectAnswered(reads: Reads, responders: readonly Responder[], moment: 'copy' | 'kill'): Promise<void> {
  const records = await reads.list(['responses'])
  expect(records.length).toBe(RECORDS)
  for (const responder of responders) {
    responder.compare(records, moment)
    const submitted = responder.submitted()
    expect(await reads.countSubmitted(responder.apiKey)).toEqual([submitted, submitted])
  }
}
