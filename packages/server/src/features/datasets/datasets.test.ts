import { afterAll, expect, test } from 'vitest'
import { getDataset } from './get.ts'
import { addDraft, openTestTeam } from './testing/datasets.ts'
import { updateDataset } from './update.ts'

const team = await openTestTeam()
afterAll(() => team.ctx.close())

const eventsOf = (id: string) =>
  team.ctx.events.flatMap(event => ('dataset' in event.payload && event.payload.dataset.id === id ? [event.name] : []))

test.each([
  { given: {} },
  { given: { guidelines: null } },
  { given: { distribution: { strategy: 'overlap', min_submitted: 1 } as const } },
])('a change to what a dataset has already, $given, leaves it alone but is told', async ({ given }) => {
  const before = await addDraft(team)
  expect(await updateDataset(team.admin, before.id, given)).toEqual(before)
  expect(await getDataset(team.owner, before.id)).toEqual(before)
  expect(eventsOf(before.id)).toEqual(['dataset.created', 'dataset.updated'])
})
