import type { SearchDocument } from '@postil/domain/search/document'
import { describe, expect, test } from 'vitest'
import { toShuffleBucket } from '../shuffle.ts'
import { toIndexedDocument, toVector } from './document.ts'
import { TEXT_BREAK, toIndexedTexts } from './document-text.ts'
import { toFlavour } from './flavour.ts'
import { textKey } from './keys.ts'

const flavour = toFlavour('elasticsearch', '8.13.4')

const EMPTY: SearchDocument = {
  id: 'r1',
  external_id: null,
  status: 'pending',
  inserted_at: '2026-11-15T12:00:00.000001',
  updated_at: '2026-11-15T12:00:00.000002',
  text: new Map(),
  metadata: new Map(),
  suggestions: new Map(),
  responses: [],
  flags: [],
  vectors: new Map(),
}

const indexed = (document: Partial<SearchDocument>) =>
  JSON.parse(JSON.stringify(toIndexedDocument({ ...EMPTY, ...document }, 7, flavour)))

describe('indexed document', () => {
  test('of an empty record has only what every record has', () => {
    expect(indexed({})).toEqual({
      record_no: 7,
      shuffle: String(toShuffleBucket('r1')),
      id: 'r1',
      status: 'pending',
      inserted_at: 1_794_744_000_000_001,
      updated_at: 1_794_744_000_000_002,
      digest: expect.any(String),
    })
  })

  test('has everything by id', () => {
    const document = indexed({
      external_id: 'row 1',
      text: new Map([['a.b', ['Green Äpple!', 'covid-19']]]),
      metadata: new Map([['p1', ['web', 'book']]]),
      suggestions: new Map([
        ['q2', { values: [], scores: [], agent: null, type: null }],
        ['q1', { values: ['food'], scores: [0.9], agent: 'm1', type: 'model' }],
      ]),
      responses: [
        { user_id: 'u2', status: 'draft', values: new Map() },
        { user_id: 'u1', status: 'submitted', values: new Map([['q1', ['food']]]) },
      ],
      flags: ['u2', 'u1'],
      vectors: new Map([['v1', [3, 0, 4]]]),
    })
    expect(document).toMatchObject({
      external_id: 'row 1',
      text: { [textKey('a.b')]: ['green apple', 'covid 19'] },
      metadata: { p1: ['web', 'book'] },
      suggested: ['q1', 'q2'],
      suggestions: { q1: { value: ['food'], score: [0.9], agent: 'm1', type: 'model' }, q2: {} },
      responses: [
        { user_id: 'u1', status: 'submitted', values: { q1: ['food'] } },
        { user_id: 'u2', status: 'draft' },
      ],
      flags: ['u1', 'u2'],
      vectors: { v1: [0.6, 0, 0.8, 0] },
    })
  })

  test('has a digest that tells whether anything differs, but not in which order it was read', () => {
    const digestOf = (document: Partial<SearchDocument>) => indexed(document).digest
    const metadata = new Map([['a', [1]], ['b', [2]]]) // biome-ignore format: two entries
    expect(digestOf({ metadata, flags: ['u1', 'u2'] })).toBe(
      digestOf({ metadata: new Map([...metadata].reverse()), flags: ['u2', 'u1'] }),
    )
    expect(digestOf({ metadata })).not.toBe(digestOf({ metadata: new Map([['a', [1]]]) }))
    expect(digestOf({ vectors: new Map([['v1', [1, 0]]]) })).not.toBe(digestOf({}))
  })
})

describe('indexed text', () => {
  test.each([
    [[], []],
    [['', '!'], []],
    [
      ['Hello, World', '東京'],
      ['hello world', '東 京'],
    ],
    [['a'.repeat(300)], [`${'a'.repeat(255)} ${'a'.repeat(45)}`]],
    // Characters of two UTF-16 code units: a long token is split where the engine would split it.
    [['𐐨'.repeat(200)], [`${'𐐨'.repeat(127)} ${'\u{E001}'.repeat(8)}${'𐐨'.repeat(73)}`]],
  ])('of %j is %j', (pieces, texts) => {
    expect(toIndexedTexts(pieces)).toEqual(texts)
  })

  test('has no token that the engine would cut', () => {
    for (let length = 250; length < 520; length++) {
      const tokens = toIndexedTexts([`${'a'.repeat(length % 7)}${'𐐨'.repeat(length)}`])
        .join(' ')
        .split(' ')
      expect(Math.max(...tokens.map(token => token.length))).toBeLessThanOrEqual(255)
      expect(tokens.join('').replaceAll(/[a\u{E001}]/gu, '')).toBe('𐐨'.repeat(length))
    }
  })

  test('has the pieces beyond ten thousand in one string, with breaks', () => {
    const texts = toIndexedTexts(Array.from({ length: 10_003 }, (_, i) => `p${i}`))
    expect(texts.length).toBe(10_001)
    expect(texts.at(-1)).toBe(`p10000 ${TEXT_BREAK} p10001 ${TEXT_BREAK} p10002`)
  })
})

describe('indexed vector', () => {
  test.each([
    [
      [0, 2],
      [0, 1, 0],
    ],
    [
      [-1e200, 0],
      [-1, 0, 0],
    ],
    [
      [1e-200, 0],
      [1, 0, 0],
    ],
    [
      [0, 0],
      [0, 0, 1],
    ],
  ])('of %j is %j', (value, vector) => {
    expect(toVector(value, flavour)).toEqual(vector)
  })

  test('at the limit of dimensions has no other, and a vector of zeros is left out', () => {
    const tight = { ...flavour, vectorDimensionsMax: 2 }
    expect([toVector([0, 5], tight), toVector([0, 0], tight), toVector([1, 2, 3], tight)]).toEqual([[0, 1], undefined, undefined])
  })
})
