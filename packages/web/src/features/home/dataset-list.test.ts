import { describe, expect, test } from 'vitest'
import { aDataset } from '../../datasets/dataset-fixtures.ts'
import { toArchiveMetadata } from './archive.ts'
import {
  listWorkspaces,
  percentDone,
  readSort,
  readWorkspaces,
  SORT_DEFAULT,
  SORTS,
  selectDatasets,
  writeSort,
  writeWorkspaces,
} from './dataset-list.ts'

const inWorkspace = (name: string) => ({ workspace: { id: `w-${name}`, name } })
const letters = aDataset({
  name: 'Letters 10',
  ...inWorkspace('care'),
  last_activity_at: '2026-03-01T00:00:00',
  inserted_at: '2026-01-03',
})
const clinic = aDataset({
  name: 'letters 9',
  ...inWorkspace('clinic'),
  last_activity_at: '2026-03-03T00:00:00',
  inserted_at: '2026-01-02',
})
const cafe = aDataset({
  name: 'Café pairs',
  ...inWorkspace('care'),
  last_activity_at: '2026-03-02T00:00:00',
  inserted_at: '2026-01-01',
})
const all = [letters, clinic, cafe]
const names = (wanted: Partial<Parameters<typeof selectDatasets>[1]>) =>
  selectDatasets(all, { workspaces: [], search: '', sort: SORT_DEFAULT, isArchive: false, ...wanted }).map(({ name }) => name)

describe('the list of datasets', () => {
  test.each([
    ['activity.desc', ['letters 9', 'Café pairs', 'Letters 10']],
    ['activity.asc', ['Letters 10', 'Café pairs', 'letters 9']],
    ['created.desc', ['Letters 10', 'letters 9', 'Café pairs']],
    ['created.asc', ['Café pairs', 'letters 9', 'Letters 10']],
    ['name.asc', ['Café pairs', 'letters 9', 'Letters 10']],
    ['name.desc', ['Letters 10', 'letters 9', 'Café pairs']],
  ])('sorted by %s is %j', (sort, expected) => expect(names({ sort: readSort(sort) })).toEqual(expected))

  test.each([
    ['LETTERS', ['letters 9', 'Letters 10']],
    ['  pair ', ['Café pairs']],
    ['cafe\u0301', ['Café pairs']],
    ['none', []],
  ])('searched for %j is %j', (search, expected) => expect(names({ search })).toEqual(expected))

  test('has archived datasets only when they are asked for', () => {
    const archived = aDataset({ name: 'old', metadata: { ...toArchiveMetadata(true), other: 1 } })
    const restored = aDataset({ name: 'back', metadata: toArchiveMetadata(false) })
    const odd = aDataset({ name: 'odd', metadata: { postil_archived_at: 5 } })
    const shown = (isArchive: boolean) =>
      selectDatasets([archived, restored, odd], { workspaces: [], search: '', sort: readSort('name.asc'), isArchive }).map(
        ({ name }) => name,
      )
    expect(shown(false)).toEqual(['back', 'odd'])
    expect(shown(true)).toEqual(['old'])
  })

  test('is sorted by the numbers of the table', () => {
    const small = aDataset({ name: 'small', records_total: 9, distribution: { strategy: 'overlap', min_submitted: 3 } })
    const large = aDataset({ name: 'large', records_total: 10, distribution: { strategy: 'overlap', min_submitted: 1 } })
    const sorted = (sort: string) =>
      selectDatasets([small, large], { workspaces: [], search: '', sort: readSort(sort), isArchive: false }).map(
        ({ name }) => name,
      )
    expect(sorted('records.desc')).toEqual(['large', 'small'])
    expect(sorted('records.asc')).toEqual(['small', 'large'])
    expect(sorted('responses.desc')).toEqual(['small', 'large'])
    // Ties are sorted by name.
    expect(sorted('pending.desc')).toEqual(['large', 'small'])
  })

  test('is narrowed to any of the workspaces', () => {
    expect(names({ workspaces: ['care'] })).toEqual(['Café pairs', 'Letters 10'])
    expect(names({ workspaces: ['care', 'clinic'] })).toHaveLength(3)
    expect(names({ workspaces: ['gone'] })).toEqual([])
  })

  test('counts its workspaces', () => {
    expect(listWorkspaces(all)).toEqual([
      { name: 'care', count: 2 },
      { name: 'clinic', count: 1 },
    ])
  })
})

describe('workspaces in the address', () => {
  test.each([
    ['', []],
    ['care', ['care']],
    ['care,clinic', ['care', 'clinic']],
    ['a, b', ['a, b']], // A link whose comma was not encoded.
    ['a%2C b,care', ['a, b', 'care']],
    ['100%', ['100%']],
    ['gone,care', ['gone', 'care']],
  ])('%j are %j', (text, expected) => expect(readWorkspaces(text, ['care', 'clinic', 'a, b'])).toEqual(expected))

  test('come back as they were written', () => {
    const given = ['a, b', 'care', '50%2C']
    expect(readWorkspaces(writeWorkspaces(given), given)).toEqual(given)
  })
})

describe('a sort', () => {
  test.each(SORTS)('$key, descending: $isDescending comes back as it was written', sort => {
    expect(readSort(writeSort(sort))).toEqual(sort)
  })
  test.each(['', 'size.desc', 'constructor'])('%j is none', text => expect(readSort(text)).toEqual(SORT_DEFAULT))
})

test.each([
  [0, 0, 0],
  [0, 3, 0],
  [1, 3, 33],
  [999, 1000, 99],
  [3, 3, 100],
])('%i of %i records are %i percent', (completed, total, percent) => {
  expect(percentDone({ progress: { completed, total, pending: total - completed, users: [] } })).toBe(percent)
})
