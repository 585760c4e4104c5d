/** Creates the compared dataset through the HTTP API of a server, and changes it. */
import type { Dataset } from '@postil/domain/datasets'
import type { Question } from '@postil/domain/questions'
import type { DatasetRecord, RecordsBulk } from '@postil/domain/records'
import type { Id } from '@postil/domain/schema'
import type { User } from '@postil/domain/users'
import type { Workspace } from '@postil/domain/workspaces'
import { aUser, type Caller, caller } from '../contract/http.ts'
import type { StartedServer } from '../server.ts'
import { createDraw } from './draw.ts'
import { type Ids, PEOPLE, type PersonName, toItem, toResponse, toSuggestion } from './records.ts'
import { FIELD, FIELDS, LATE_PROPERTY, LATE_VECTORS, PROPERTIES, QUESTION, QUESTIONS, VECTOR, VECTORS } from './settings.ts'

const RECORDS = 320
const RECORDS_PER_CALL = 80
const RESPONSES = 240

export interface ComparedDataset {
  datasetId: Id
  people: Record<PersonName, Caller>
  ids: Ids
}

/** Returns the same people as callers of another server. */
export function callersOf(people: Record<PersonName, Caller>, url: string): Record<PersonName, Caller> {
  const at = ({ key, id, username }: Caller) => caller(url, key, { id, username })
  return { owner: at(people.owner), admin: at(people.admin), ann: at(people.ann), ben: at(people.ben) }
}

export async function createComparedDataset(server: StartedServer): Promise<ComparedDataset> {
  const people = await addPeople(server)
  const { owner } = people
  const [workspace] = (await owner.done<{ items: Workspace[] }>('GET /me/workspaces')).items
  const distribution = { strategy: 'overlap', min_submitted: 2 }
  const created = { name: 'compared', workspace_id: workspace?.id, distribution, allow_extra_metadata: true }
  const { id: datasetId } = await owner.done<Dataset>('POST /datasets', created)
  const path = `/datasets/${datasetId}`
  for (const field of FIELDS) await owner.done(`POST ${path}/fields`, field)
  for (const property of PROPERTIES) await owner.done(`POST ${path}/metadata-properties`, property)
  for (const vectors of VECTORS) await owner.done(`POST ${path}/vectors-settings`, vectors)
  const questions = new Map<string, Id>()
  for (const question of QUESTIONS)
    questions.set(question.name, (await owner.done<Question>(`POST ${path}/questions`, question)).id)
  await owner.done(`PUT ${path}/publish`)
  const ids = { questions, people: { owner: owner.id, admin: people.admin.id, ann: people.ann.id, ben: people.ben.id } }
  const compared = { datasetId, people, ids }
  await fill(compared)
  return compared
}

async function addPeople(server: StartedServer): Promise<Record<PersonName, Caller>> {
  const me = await caller(server.url, server.apiKey).done<User>('GET /me')
  const owner = caller(server.url, server.apiKey, me)
  const [workspace] = (await owner.done<{ items: Workspace[] }>('GET /me/workspaces')).items
  const add = async (username: string, role: 'admin' | 'annotator') => {
    const person = await aUser(server.url, owner, role, { username })
    await owner.done(`POST /workspaces/${workspace?.id}/users`, { user_id: person.id })
    return person
  }
  return { owner, admin: await add('admin', 'admin'), ann: await add('ann', 'annotator'), ben: await add('ben', 'annotator') }
}

/**
 * Adds half of the records, then the late settings, then the other half; then writes responses, suggestions and flags one by one.
 */
async function fill(compared: ComparedDataset): Promise<void> {
  const { datasetId, people, ids } = compared
  const add = async (from: number, to: number, vectors: string[]) => {
    for (let start = from; start < to; start += RECORDS_PER_CALL) {
      const numbers = Array.from({ length: Math.min(RECORDS_PER_CALL, to - start) }, (_, at) => start + at)
      const items = numbers.map(i => toItem(i, ids, { version: 1, vectors }))
      await people.owner.done<RecordsBulk>(`POST /datasets/${datasetId}/records/bulk`, { items })
    }
  }
  await add(0, RECORDS / 2, [VECTOR.four, VECTOR.two])
  await people.owner.done(`POST /datasets/${datasetId}/metadata-properties`, LATE_PROPERTY)
  await people.owner.done(`POST /datasets/${datasetId}/vectors-settings`, LATE_VECTORS)
  await addLate(compared)
  await writeOneByOne(compared, 2)
}

/** Adds the second half, whose late metadata the property must accept. */
async function addLate({ datasetId, people, ids }: ComparedDataset): Promise<void> {
  for (let start = RECORDS / 2; start < RECORDS; start += RECORDS_PER_CALL) {
    const numbers = Array.from({ length: RECORDS_PER_CALL }, (_, at) => start + at)
    const items = numbers.map(i => withAcceptedLate(toItem(i, ids), i))
    await people.owner.done(`POST /datasets/${datasetId}/records/bulk`, { items })
  }
}

function withAcceptedLate<T extends { metadata: object | null }>(item: T, i: number): T {
  return item.metadata === null ? item : { ...item, metadata: { ...item.metadata, [LATE_PROPERTY.name]: i % 7 } }
}

export async function listAll({ datasetId, people }: ComparedDataset, include = ''): Promise<DatasetRecord[]> {
  const path = `/datasets/${datasetId}/records?limit=1000${include}`
  const { items, total } = await people.owner.done<{ items: DatasetRecord[]; total: number }>(`GET ${path}`)
  if (items.length !== total) throw new Error(`read ${items.length} of ${total} records`)
  return items
}

/** Writes responses of all users, flags and suggestions to randomly selected records. */
async function writeOneByOne(compared: ComparedDataset, seed: number): Promise<void> {
  const draw = createDraw(seed)
  const records = await listAll(compared, '&include=responses')
  const answered = new Set(records.flatMap(({ id, responses = [] }) => responses.map(({ user_id }) => `${id} ${user_id}`)))
  for (let i = 0; i < RESPONSES; i++) {
    const record = draw.pick(records)
    const person = compared.people[draw.pick(PEOPLE)]
    const key = `${record.id} ${person.id}`
    const text = String(record.fields[FIELD.text])
    if (!answered.has(key)) await person.done(`POST /records/${record.id}/responses`, toResponse(draw, text))
    answered.add(key)
    if (draw.chance(0.3)) await person.done(`PUT /me/records/${record.id}/flag`)
    const suggestion = toSuggestion(draw, draw.pick(QUESTIONS).name, text, compared.ids)
    if (draw.chance(0.3)) await compared.people.owner.done(`PUT /records/${record.id}/suggestions`, suggestion)
  }
}

const CHANGED = 60

/** Upserts, patches and deletes records, and changes and deletes responses, suggestions and flags. */
export async function changeComparedDataset(compared: ComparedDataset): Promise<void> {
  const { datasetId, people, ids } = compared
  const draw = createDraw(3)
  const all = await listAll(compared, '&include=responses&include=suggestions')
  const numbers = Array.from({ length: CHANGED }, () => draw.below(RECORDS))
  const items = [...new Set(numbers)].map(i =>
    withAcceptedLate({ ...toItem(i, ids, { version: 2, vectors: Object.values(VECTOR) }), responses: undefined }, i),
  )
  await people.owner.done(`PUT /datasets/${datasetId}/records/bulk`, { items })
  const doomed = draw.some(all, 30, 40)
  const left = all.filter(record => !doomed.includes(record))
  await people.owner.done(`DELETE /datasets/${datasetId}/records?ids=${doomed.map(({ id }) => id).join()}`)
  for (const record of draw.some(left, 30, 30)) {
    await people.owner.done(`PATCH /records/${record.id}`, {
      metadata: { source: draw.pick(['web', 'mail']), weight: draw.below(9) / 3 },
    })
  }
  const responses = left.flatMap(({ responses = [], fields }) =>
    responses.map(response => ({ ...response, text: String(fields[FIELD.text]) })),
  )
  for (const { id, user_id, text } of draw.some(responses, 60, 60)) {
    const person = Object.values(people).find(({ id }) => id === user_id) ?? people.owner
    if (draw.chance(0.4)) await person.done(`DELETE /responses/${id}`)
    else await person.done(`PUT /responses/${id}`, withoutSpans(toResponse(draw, text)))
  }
  await changeSuggestions(compared, left, draw)
  await writeOneByOne(compared, 4)
}

/** Removes spans, because the text may have changed and the spans may no longer be valid. */
function withoutSpans(response: ReturnType<typeof toResponse>) {
  const values = Object.entries(response.values).filter(([name]) => name !== QUESTION.span)
  return { ...response, values: Object.fromEntries(values) }
}

async function changeSuggestions(
  compared: ComparedDataset,
  records: readonly DatasetRecord[],
  draw: ReturnType<typeof createDraw>,
): Promise<void> {
  const { people } = compared
  const suggested = (await listAll(compared, '&include=suggestions')).flatMap(({ id, suggestions = [] }) =>
    suggestions.map(({ id: no }) => [id, no]),
  )
  for (const [recordId, id] of draw.some(suggested, 30, 30))
    await people.owner.done(`DELETE /records/${recordId}/suggestions?ids=${id}`)
  for (const person of [people.ann, people.ben]) {
    const { items } = await person.done<{ items: { record_id: Id }[] }>(`GET /me/datasets/${compared.datasetId}/flags`)
    for (const { record_id } of draw.some(items, 5, 5)) await person.done(`DELETE /me/records/${record_id}/flag`)
  }
  for (const record of draw.some(records, 5, 5)) await people.ann.done(`PUT /me/records/${record.id}/flag`)
}
