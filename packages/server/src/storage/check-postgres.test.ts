import { describe, expect, test } from 'vitest'
import { findPostgresProblem, type PostgresFacts } from './check-postgres.ts'

const USABLE: PostgresFacts = { number: 160_004, version: '16.4', encoding: 'UTF8', is_standby: false, read_only: 'off' }

describe('what PostgreSQL says of itself', () => {
  test.each<[string, Partial<PostgresFacts>]>([
    ['16.4', {}],
    ['14.0, the oldest', { number: 140_000, version: '14.0' }],
    ['a beta of a later one', { number: 190_000, version: '19beta1' }],
  ])('is usable: %s', (_, facts) => {
    expect(findPostgresProblem({ ...USABLE, ...facts })).toBeNull()
  })

  test.each<[string, Partial<PostgresFacts>, RegExp]>([
    ['13.22', { number: 130_022, version: '13.22' }, /is PostgreSQL 13\.22, .* needs PostgreSQL 14 or newer/],
    ['9.6.24, whose numbers have three parts', { number: 90_624, version: '9.6.24' }, /is PostgreSQL 9\.6\.24, /],
    ['LATIN1', { encoding: 'LATIN1' }, /encoding of the database is LATIN1, .*createdb --encoding=UTF8/],
    ['SQL_ASCII', { encoding: 'SQL_ASCII' }, /encoding of the database is SQL_ASCII/],
    ['a standby', { is_standby: true }, /standby.*primary/],
    ['a standby, also of a read-only database', { is_standby: true, read_only: 'on' }, /standby/],
    ['read-only transactions', { read_only: 'on' }, /read-only.*default_transaction_read_only/],
    ['too old, before all else', { number: 130_000, version: '13.0', encoding: 'LATIN1', is_standby: true }, /PostgreSQL 13\.0/],
  ])('is refused: %s', (_, facts, problem) => {
    expect(findPostgresProblem({ ...USABLE, ...facts })).toMatch(problem)
  })
})
