/**
 * Random writes, deletions, searches and counts, with columns loaded and dropped in between. Results must equal those of the
 * oracle.
 */
import type { CountQuery } from '@postil/domain/search/counts'
import type { SearchDocument } from '@postil/domain/search/document'
import { searchNaively } from '@postil/domain/search/naive'
import { countNaively } from '@postil/domain/search/naive-counts'
import type { SearchQuery } from '@postil/domain/search/query'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countKeys, searchKeys } from './column-key.ts'
import { countColumns } from './count.ts'
import { matchAll } from './filter.ts'
import { RecordColumns } from './record-columns.ts'
import { listPage } from './search.ts'
import { toExpectedOrder } from './testing/expected-order.ts'
import { loadColumns } from './testing/fill-column.ts'
import { ascendingId, content, count, search } from './testing/random-searches.ts'

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('add' as const), content, gap: fc.nat({ max: 40 }), id: fc.uuid() }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('update' as const), content, at: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), at: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('drop' as const), at: fc.nat() }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('search' as const), query: search }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('count' as const), query: count }) },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

interface World {
  columns: RecordColumns
  documents: Map<number, SearchDocument>
  nextOrdinal: number
  /** True if ids ascend with ordinals. */
  isAscending: boolean
}

function run(world: World, step: Step): void {
  const { columns, documents } = world
  switch (step.kind) {
    case 'add': {
      const ordinal = world.nextOrdinal
      world.nextOrdinal += step.gap + 1
      write(world, ordinal, { ...step.content, id: world.isAscending ? ascendingId(ordinal) : step.id })
      return
    }
    case 'update': {
      const [ordinal, document] = [...documents][step.at % documents.size] ?? []
      if (ordinal !== undefined && document !== undefined) write(world, ordinal, { ...step.content, id: document.id })
      return
    }
    case 'delete': {
      const ordinal = [...documents.keys()][step.at % documents.size]
      if (ordinal === undefined) return
      documents.delete(ordinal)
      columns.remove(ordinal)
      return
    }
    case 'drop': {
      const loaded = columns.sizes()
      const key = loaded[step.at % loaded.length]?.key
      if (key !== undefined) columns.drop(key)
      return
    }
    case 'search':
      checkSearch(world, step.query)
      return
    case 'count':
      checkCount(world, step.query)
  }
}

function write({ columns, documents }: World, ordinal: number, document: SearchDocument): void {
  documents.set(ordinal, document)
  columns.put(ordinal, document)
}

function checkSearch({ columns, documents }: World, query: SearchQuery): void {
  loadColumns(columns, searchKeys(query), documents)
  const matches = matchAll(columns.live, query.filters, { columns, userId: query.userId })
  const { ordinals } = listPage(columns, query, matches, matches.count())
  const ids = Array.from(ordinals, ordinal => documents.get(ordinal)?.id)
  const expected = searchNaively([...documents.values()], query)
  expect(matches.count()).toBe(expected.total)
  if (query.sort.length > 0) expect(ids).toEqual(expected.ids)
  else expect(ids).toEqual(toExpectedOrder(documents, query).slice(query.offset, query.offset + query.limit))
}

function checkCount({ columns, documents }: World, query: CountQuery): void {
  loadColumns(columns, countKeys(query), documents)
  expect(countColumns(columns, query, null)).toEqual(countNaively([...documents.values()], query))
}

test('random searches and counts between random writes answer what the oracle does', () => {
  const property = fc.property(fc.array(step, { minLength: 5, maxLength: 60 }), fc.boolean(), (steps, isAscending) => {
    const world: World = { columns: new RecordColumns(), documents: new Map(), nextOrdinal: 0, isAscending }
    for (const step of steps) run(world, step)
  })
  fc.assert(property, { numRuns: 400 })
})
