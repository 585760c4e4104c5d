import { expect, test } from 'vitest'
import { readFrameMessage } from './messages.ts'

test.each([
  { data: { type: 'ready' }, read: { type: 'ready' } },
  { data: { type: 'pong', more: 'x' }, read: { type: 'pong' } },
  { data: { type: 'done', sequence: 3 }, read: { type: 'done', sequence: 3 } },
  { data: { type: 'height', height: 120.2 }, read: { type: 'height', height: 121 } },
  { data: { type: 'height', height: 1e9 }, read: { type: 'height', height: 4000 } },
  { data: { type: 'height', height: -5 }, read: { type: 'height', height: 40 } },
  { data: { type: 'error', message: 'x'.repeat(900) }, read: { type: 'error', message: 'x'.repeat(500) } },
])('$data.type is understood, within limits', ({ data, read }) => {
  expect(readFrameMessage(data)).toEqual(read)
})

test.each([
  null,
  undefined,
  'ready',
  3,
  [],
  {},
  { type: 'height', height: '100' },
  { type: 'height', height: Number.NaN },
  { type: 'done' },
  { type: 'error', message: { toString: () => 'x' } },
  { type: 'open', url: 'https://example.org' },
])('%j is ignored', data => {
  expect(readFrameMessage(data)).toBeNull()
})
