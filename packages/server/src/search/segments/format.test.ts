import { describe, expect, test } from 'vitest'
import { buildSegment } from './build.ts'
import { SegmentError } from './format.ts'
import { newPostings, readPostings } from './postings.ts'
import { openSegment } from './segment.ts'

const DOCUMENTS = [
  { recordNo: 7, pieces: [['green apple', 'apple pie'], null] },
  { recordNo: 3, pieces: [[''], ['A green THING']] },
  { recordNo: 2 ** 40, pieces: [null, null] },
]
const bytes = buildSegment(DOCUMENTS)

describe('a segment', () => {
  test('knows its documents, their record numbers and lengths', () => {
    const segment = openSegment(bytes)
    expect(segment.documents).toBe(3)
    expect([...segment.recordNos()]).toEqual([7, 3, 2 ** 40])
    const [first, second] = segment.fields
    expect([first?.words, first?.holders, first?.terms]).toEqual([4, 1, 4])
    expect([second?.words, second?.holders, second?.terms]).toEqual([3, 1, 3])
    expect(segment.fields.map(field => [...field.lengths()])).toEqual([
      [4, 0, 0],
      [0, 3, 0],
    ])
  })

  test('finds terms and the documents that hold them', () => {
    const [first] = openSegment(bytes).fields
    const entry = first?.find('apple')
    expect(entry?.documents).toBe(1)
    const postings = entry && readPostings(bytes, entry, newPostings(entry.documents))
    expect([postings?.documents[0], postings?.frequencies[0], postings?.count]).toEqual([0, 2, 1])
    expect(['appl', 'apples', 'thing', ''].map(term => first?.find(term))).toEqual([null, null, null, null])
  })

  test('opens at any offset of a larger buffer', () => {
    const buffer = Buffer.concat([Buffer.from('xyz'), bytes, Buffer.from('xyz')])
    expect(openSegment(buffer.subarray(3, 3 + bytes.length)).fields[0]?.find('pie')?.documents).toBe(1)
  })

  test('may be without documents', () => {
    const segment = openSegment(buildSegment([]))
    expect([segment.documents, segment.fields.length, segment.recordNos().length]).toEqual([0, 0, 0])
  })

  test('is not built from documents with different numbers of fields', () => {
    expect(() => buildSegment([...DOCUMENTS, { recordNo: 9, pieces: [null] }])).toThrow('different numbers of fields')
  })
})

describe('bad bytes', () => {
  const withByte = (at: number, value: number) => bytes.map((byte, i) => (i === at ? value : byte))

  test.each([
    ['none', new Uint8Array(0), 'Not a text segment'],
    ['something else', new TextEncoder().encode('{"records": ["a text that is long enough"]}'), 'Not a text segment'],
    ['another version', withByte(4, 2), 'A text segment of version 2; only version 1 can be read'],
    ['too few', bytes.subarray(0, -1), `A damaged text segment: ${bytes.length - 1} bytes instead of ${bytes.length}`],
    [
      'too many',
      Buffer.concat([bytes, Buffer.of(0)]),
      `A damaged text segment: ${bytes.length + 1} bytes instead of ${bytes.length}`,
    ],
    ['a wrong checksum', withByte(8, (bytes[8] as number) ^ 1), 'its checksum does not match its bytes'],
  ])('%s', (_, bad, message) => {
    expect(() => openSegment(bad)).toThrow(SegmentError)
    expect(() => openSegment(bad)).toThrow(message)
  })

  test('every flipped bit and every truncation is noticed', () => {
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const at = bit >> 3
      expect(() => openSegment(withByte(at, (bytes[at] as number) ^ (1 << (bit & 7))))).toThrow(SegmentError)
    }
    for (let size = 0; size < bytes.length; size++) expect(() => openSegment(bytes.slice(0, size))).toThrow(SegmentError)
  })
})
