import { afterAll, describe, expect, test } from 'vitest'
import { addDraft, addPublished, addRecords, listJobs, openTestTeam, settingsVersion } from '../datasets/testing/datasets.ts'
import { putVectors } from '../vectors/store.ts'
import { createVectorsSettings } from './create.ts'
import { deleteVectorsSettings } from './delete.ts'
import { listVectorsSettings } from './list.ts'
import { purgeVectors } from './purge.ts'
import { loadVectorsSettings } from './store.ts'
import { updateVectorsSettings } from './update.ts'

const team = await openTestTeam()
afterAll(() => team.ctx.close())
const { owner } = team

const vectors = (name = 'mini', dimensions = 384) => ({ name, title: 'Mini', dimensions })

describe('adding vectors settings', () => {
  test('stores them, also once published; the list is oldest first', async () => {
    const { id } = await addPublished(team)
    const version = await settingsVersion(team.ctx, id)
    const [first, second] = [
      await createVectorsSettings(owner, id, vectors('b')),
      await createVectorsSettings(owner, id, vectors('a', 2)),
    ]
    expect(first).toEqual({
      id: expect.any(String),
      name: 'b',
      title: 'Mini',
      dimensions: 384,
      dataset_id: id,
      inserted_at: first.updated_at,
      updated_at: first.updated_at,
    })
    expect(await listVectorsSettings(team.annotator, id)).toEqual({ items: [first, second] })
    expect(await settingsVersion(team.ctx, id)).toBe(version + 2)
  })

  test.each([
    { dimensions: 8000, ok: true },
    { dimensions: 8001, ok: false },
  ])('with $dimensions dimensions: $ok', async ({ dimensions, ok }) => {
    const { id } = await addDraft(team)
    const created = createVectorsSettings(owner, id, vectors('large', dimensions))
    if (ok) await expect(created).resolves.toMatchObject({ dimensions })
    else await expect(created).rejects.toMatchObject({ code: 'unprocessable', message: expect.stringContaining('8000') })
  })
})

test('changing vectors settings takes the title, and nothing when it is the same', async () => {
  const { id } = await addDraft(team)
  const settings = await createVectorsSettings(owner, id, vectors())
  expect(await updateVectorsSettings(owner, settings.id, { title: 'Mini' })).toEqual(settings)
  const changed = await updateVectorsSettings(owner, settings.id, { title: 'Small' })
  expect(changed).toEqual({ ...settings, title: 'Small', updated_at: changed.updated_at })
  expect(changed.updated_at > settings.updated_at).toBe(true)
  expect(await listVectorsSettings(owner, id)).toEqual({ items: [changed] })
})

test('removing vectors settings leaves their vectors to a job', async () => {
  const { id } = await addPublished(team)
  const settings = await createVectorsSettings(owner, id, vectors('mini', 2))
  const { no } = await loadVectorsSettings(team.ctx.db, settings.id)
  const [record] = await addRecords(team.ctx, id, [null])
  await putVectors(team.ctx.db, [{ record_no: record?.no ?? 0, vectors_settings_no: no, value: [1, 2] }], { replace: false })
  expect(await deleteVectorsSettings(owner, settings.id)).toEqual(settings)
  expect(await listVectorsSettings(owner, id)).toEqual({ items: [] })
  expect(await listJobs(team.ctx)).toContainEqual(expect.objectContaining({ name: 'purge-vectors' }))
  expect(await purgeVectors(team.ctx, { vectors_settings_no: no })).toBeNull()
  expect(await team.ctx.db.sql.all('select no from vectors')).toEqual([])
})
