import { expect, test } from 'vitest'
import { marks } from './database.ts'
import { StatementCache } from './statement-cache.ts'

function openCache() {
  const prepared: string[] = []
  const cache = new StatementCache((text: string) => {
    prepared.push(text)
    return { text }
  })
  return { cache, prepared }
}

const listOf = (length: number) => `select no from records where id in (${marks(Array(length).fill(0))}) order by no`

test('a statement is prepared once', () => {
  const { cache, prepared } = openCache()
  const texts = ['select 1', listOf(1), listOf(2), 'insert into records (no, id) values (?, ?), (?, ?)']
  const first = texts.map(text => cache.get(text))
  expect(texts.map(text => cache.get(text))).toEqual(first)
  expect(prepared).toEqual(texts)
})

test('thousands of lists of different lengths push out no other statement', () => {
  const { cache, prepared } = openCache()
  const texts = Array.from({ length: 600 }, (_, i) => `select ${i} from records where no = ?`)
  for (const text of texts) cache.get(text)
  for (let length = 1; length <= 2_000; length++) cache.get(listOf(length))
  prepared.length = 0
  for (const text of texts) cache.get(text)
  expect(prepared).toEqual([])
})

test('of lists, those used last are kept', () => {
  const { cache, prepared } = openCache()
  for (let length = 1; length <= 500; length++) {
    cache.get(listOf(length))
    cache.get(listOf(10))
  }
  prepared.length = 0
  for (const length of [500, 400, 10]) cache.get(listOf(length))
  expect(prepared).toEqual([])
  cache.get(listOf(1))
  expect(prepared).toEqual([listOf(1)])
})
