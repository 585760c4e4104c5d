import { parseTextQuery } from '@postil/domain/search/text-query'
import { describe, expect, test } from 'vitest'
import type { Clause } from './flavour.ts'
import { toTextQuery } from './text.ts'

const term = (path: string, token: string) => ({ term: { [path]: token } })
const phrase = (path: string, query: string, slop = 0) => ({ match_phrase: { [path]: { query, slop } } })
const any = (...should: Clause[]) => ({ bool: { should, minimum_should_match: 1 } })
const one = (filter: Clause) => ({ constant_score: { filter, boost: 1 } })
const lacking = (...must_not: Clause[]) => one({ bool: { must_not } })

const ONE_FIELD: [q: string, query: Clause][] = [
  ['fox', term('a', 'fox')],
  ['FOX Älter', { bool: { must: [term('a', 'fox'), term('a', 'alter')], must_not: [] } }],
  ['fox | dog', any(term('a', 'fox'), term('a', 'dog'))],
  ['-fox', lacking(term('a', 'fox'))],
  ['-fox -dog', lacking(term('a', 'fox'), term('a', 'dog'))],
  ['fox -dog', { bool: { must: [term('a', 'fox')], must_not: [term('a', 'dog')] } }],
  ['fox | -dog', any(term('a', 'fox'), lacking(term('a', 'dog')))],
  ['"green apple"', phrase('a', 'green apple')],
  ['"green apple"~2 ', phrase('a', 'green apple', 2)],
  // The slop is limited to less than the gap between two pieces.
  ['"green apple"~999999 ', phrase('a', 'green apple', 99_900)],
  ['covid-19', { bool: { must: [term('a', 'covid'), term('a', '19')] } }],
  ['東京', phrase('a', '東 京')],
  ['appl*', one({ prefix: { a: 'appl' } })],
  ['', { match_none: {} }],
  ['*', { match_all: {} }],
  // Two code units per character: the token is split as in the index.
  ['𐐨'.repeat(200), phrase('a', `${'𐐨'.repeat(127)} ${'\u{E001}'.repeat(8)}${'𐐨'.repeat(73)}`)],
]

describe('query text', () => {
  test.each(ONE_FIELD)('`%s` in one field', (q, query) => {
    expect(toTextQuery(parseTextQuery(q), { paths: ['a'], scored: true })).toEqual(query)
  })

  test.each<[q: string, query: Clause]>([
    ['fox', any(term('a', 'fox'), term('b', 'fox'))],
    ['covid-19', any(...['a', 'b'].map(path => ({ bool: { must: [term(path, 'covid'), term(path, '19')] } })))],
    ['appl*', one(any({ prefix: { a: 'appl' } }, { prefix: { b: 'appl' } }))],
    ['-fox', lacking(any(term('a', 'fox'), term('b', 'fox')))],
  ])('`%s` in two fields', (q, query) => {
    expect(toTextQuery(parseTextQuery(q), { paths: ['a', 'b'], scored: true })).toEqual(query)
  })

  test('finds every word that is near a fuzzy one, and lets some of them score', () => {
    const near = { value: 'aple', fuzziness: 1, transpositions: false, prefix_length: 0 }
    expect(toTextQuery(parseTextQuery('aple~1'), { paths: ['a'], scored: true })).toEqual({
      bool: {
        filter: [{ fuzzy: { a: { ...near, rewrite: 'constant_score' } } }],
        should: [{ fuzzy: { a: { ...near, max_expansions: 10 } } }],
      },
    })
    expect(toTextQuery(parseTextQuery('aple~1'), { paths: ['a'], scored: false })).toEqual({
      fuzzy: { a: { ...near, rewrite: 'constant_score' } },
    })
    expect(toTextQuery(parseTextQuery(`${'a'.repeat(300)}~1`), { paths: ['a'], scored: true })).toEqual({ match_none: {} })
  })

  test('in a field without text finds nothing, and everything that lacks it', () => {
    expect(toTextQuery(parseTextQuery('fox'), { paths: [], scored: true })).toEqual({ match_none: {} })
    expect(toTextQuery(parseTextQuery('-fox'), { paths: [], scored: true })).toEqual(lacking({ match_none: {} }))
  })
})
