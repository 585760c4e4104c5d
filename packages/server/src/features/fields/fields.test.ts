import { afterAll, expect, test } from 'vitest'
import { addDraft, openTestTeam, settingsVersion, TEXT_FIELD } from '../datasets/testing/datasets.ts'
import { createField } from './create.ts'
import { deleteField } from './delete.ts'
import { listFields } from './list.ts'
import { updateField } from './update.ts'

const team = await openTestTeam()
afterAll(() => team.ctx.close())
const { owner } = team

test('each change of a field ends the use of cached settings; a change to what it has already does nothing', async () => {
  const { id } = await addDraft(team)
  const versions = [await settingsVersion(team.ctx, id)]
  const then = async <T>(change: Promise<T>): Promise<T> => {
    const changed = await change
    versions.push(await settingsVersion(team.ctx, id))
    return changed
  }
  const field = await then(createField(owner, id, TEXT_FIELD))
  const same = { title: field.title, settings: { type: 'text', use_markdown: false } } as const
  expect(await then(updateField(owner, field.id, same))).toEqual(field)
  const changed = await then(updateField(owner, field.id, { title: 'Review', settings: { type: 'text', use_markdown: true } }))
  expect(await listFields(owner, id)).toEqual({ items: [changed] })
  await then(deleteField(owner, { id: field.id }))
  expect(versions.map(version => version - (versions[0] ?? 0))).toEqual([0, 1, 1, 2, 3])
})
