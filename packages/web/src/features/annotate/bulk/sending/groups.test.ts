import { expect, test } from 'vitest'
import { openMemoryDatabase } from '../../../../storage/testing/memory-database.ts'
import { type Group, openGroups } from './groups.ts'

const openHere = () => openGroups(openMemoryDatabase(), 'dataset')
const group = (id: string): Group => ({ id, inserted_at: '2026-01-01T00:00:00Z', entries: [] })
const idsOf = async (groups: ReturnType<typeof openGroups>) => (await groups.list()).map(({ id }) => id)

test('the last ten are kept, newest first', async () => {
  const groups = openHere()
  for (let i = 1; i <= 12; i++) groups.add(group(String(i)))
  expect(await idsOf(groups)).toEqual(['12', '11', '10', '9', '8', '7', '6', '5', '4', '3'])
})

test('an undone group is removed, and a redone one is added once', async () => {
  const groups = openHere()
  for (const id of ['a', 'b', 'c']) groups.add(group(id))
  groups.remove('b')
  expect(await idsOf(groups)).toEqual(['c', 'a'])
  groups.add(group('b'))
  groups.add(group('b'))
  expect(await idsOf(groups)).toEqual(['b', 'c', 'a'])
})
