/** Answer values by question, and whether suggestions and responses accept them. The span's text has 13 characters. */

/** `A green apple` with the last letter replaced by a surrogate pair: 13 code points, 14 UTF-16 units. */
export const SPAN_TEXT = 'A green appl👍'

interface ValueCase {
  question: string
  value: unknown
  /** `draft`: valid unless submitted. */
  ok: true | false | 'draft'
  /** The stored value, if it differs. */
  stored?: unknown
}

const span = (start: unknown, end: unknown, label: unknown = 'person') => ({ label, start, end })
const rank = (value: unknown, rank?: unknown) => (rank === undefined ? { value } : { value, rank })

export const VALUE_CASES: ValueCase[] = [
  { question: 'comment', value: 'Hm', ok: true },
  { question: 'comment', value: '', ok: true },
  { question: 'comment', value: 3, ok: false },
  { question: 'comment', value: ['a'], ok: false },
  { question: 'mood', value: 'sad', ok: true },
  { question: 'mood', value: 'SAD', ok: false },
  { question: 'mood', value: '', ok: false },
  { question: 'mood', value: ['sad'], ok: false },
  { question: 'topics', value: ['food', 'art'], ok: true },
  { question: 'topics', value: [], ok: false },
  { question: 'topics', value: ['food', 'food'], ok: false },
  { question: 'topics', value: ['food', 'war'], ok: false },
  { question: 'topics', value: 'food', ok: false },
  { question: 'quality', value: 3, ok: true },
  { question: 'quality', value: 0, ok: false },
  { question: 'quality', value: 6, ok: false },
  { question: 'quality', value: '3', ok: false },
  { question: 'order', value: [rank('a', 1), rank('b', 1), rank('c', 3)], ok: true },
  {
    question: 'order',
    value: [rank('c', '1'), rank('b', 2), rank('a', 2)],
    ok: true,
    stored: [rank('c', 1), rank('b', 2), rank('a', 2)],
  },
  { question: 'order', value: [rank('a', 1)], ok: 'draft' },
  { question: 'order', value: [], ok: 'draft' },
  { question: 'order', value: [rank('a', 1), rank('b', 2), rank('c', 4)], ok: 'draft' },
  { question: 'order', value: [rank('a', 1), rank('b', 2), rank('c', 0)], ok: 'draft' },
  {
    question: 'order',
    value: [rank('a'), rank('b', 2), rank('c', 3)],
    ok: 'draft',
    stored: [rank('a', null), rank('b', 2), rank('c', 3)],
  },
  { question: 'order', value: [rank('a', 1), rank('a', 2), rank('c', 3)], ok: false },
  { question: 'order', value: [rank('a', 1), rank('b', 2), rank('z', 3)], ok: false },
  { question: 'order', value: ['a', 'b', 'c'], ok: false },
  { question: 'order', value: 'a', ok: false },
  { question: 'spots', value: [], ok: true },
  { question: 'spots', value: [span(0, 13)], ok: true },
  { question: 'spots', value: [span(0, 5), span(5, 6, 'place'), span(12, 13)], ok: true },
  { question: 'spots', value: [{ ...span('0', 5.0), colour: 'red' }], ok: true, stored: [span(0, 5)] },
  { question: 'spots', value: [span(0, 14)], ok: false },
  { question: 'spots', value: [span(13, 14)], ok: false },
  { question: 'spots', value: [span(0, 5, 'thing')], ok: false },
  { question: 'spots', value: [span(0, 5), span(4, 6)], ok: false },
  { question: 'spots', value: [span(0, 5), span(0, 5)], ok: false },
  { question: 'spots', value: 'person', ok: false },
]

/** Values that fit no question. Rejected because of their shape. */
export const SHAPELESS_VALUES: unknown[] = [
  null,
  true,
  3.5,
  {},
  { value: 'sad' },
  [null],
  [[]],
  [span(5, 5)],
  [span(-1, 2)],
  [span(0, 0)],
]
