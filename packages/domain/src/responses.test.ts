import { describe, expect, test } from 'vitest'
import { prepareRecordRules } from './record-rules.ts'
import {
  checkResponse,
  checkUnchanged,
  isVersionStored,
  type RecordResponse,
  ResponseConflict,
  ResponseCreate,
  ResponsesBulkUpsert,
  ResponsesOfUsers,
  ResponseUpdate,
  toResponseValues,
} from './responses.ts'
import { accepts, refusal } from './testing.ts'

const settings = { type: 'text' as const, use_markdown: false }
const rules = prepareRecordRules({
  questions: [
    { id: '1', name: 'why', required: true, settings },
    { id: '2', name: 'stars', required: false, settings: { type: 'rating', options: [{ value: 1 }, { value: 2 }] } },
    { id: '3', name: 'constructor', required: false, settings },
  ],
})

describe('a response', () => {
  test.each([
    { why: 'all is well', response: { status: 'submitted' as const, values: { why: { value: 'so' } } }, says: null },
    { why: 'it has no values', response: { status: 'submitted' as const, values: {} }, says: 'needs `values`' },
    { why: 'its values are null', response: { status: 'submitted' as const, values: null }, says: 'needs `values`' },
    {
      why: 'a required question is not answered',
      response: { status: 'submitted' as const, values: { x: { value: 1 } } },
      says: 'Missing: `why`',
    },
    {
      why: 'a question is unknown',
      response: { status: 'submitted' as const, values: { why: { value: 1 }, x: { value: 1 } } },
      says: '`x`',
    },
    {
      why: 'a value is wrong',
      response: { status: 'submitted' as const, values: { stars: { value: 9 }, why: { value: 'so' } } },
      says: '`9`',
    },
  ])('when $why is refused with: $says', ({ response, says }) => {
    const message = refusal(() => checkResponse(response, rules, {}))?.message ?? null
    if (says === null) expect(message).toBeNull()
    else expect(message).toContain(says)
  })

  test.each([{ status: 'draft' as const }, { status: 'discarded' as const }])(
    'that is $status may leave questions unanswered, but gives no wrong answers',
    ({ status }) => {
      expect(refusal(() => checkResponse({ status }, rules, {}))).toBeNull()
      expect(refusal(() => checkResponse({ status, values: {} }, rules, {}))).toBeNull()
      expect(refusal(() => checkResponse({ status, values: { x: { value: 1 } } }, rules, {}))?.at).toEqual(['values'])
      expect(refusal(() => checkResponse({ status, values: { stars: { value: 9 } } }, rules, {}))?.at).toEqual([
        'values',
        'stars',
        'value',
      ])
    },
  )

  test('names the place of the one required question that is not answered', () => {
    const response = { status: 'submitted' as const, values: { stars: { value: 1 } } }
    expect(refusal(() => checkResponse(response, rules, {}))?.at).toEqual(['values', 'why'])
  })

  test('reports the first wrong value in the order of questions', () => {
    const values = { stars: { value: 9 }, why: { value: 9 } }
    expect(refusal(() => checkResponse({ status: 'draft', values }, rules, {}))?.at).toEqual(['values', 'why', 'value'])
  })

  test('does not answer a question that is called like a property of every object', () => {
    expect(refusal(() => checkResponse({ status: 'draft', values: {} }, rules, {}))).toBeNull()
    const values = JSON.parse('{"__proto__": {"value": "x"}}')
    expect(refusal(() => checkResponse({ status: 'draft', values }, rules, {}))?.message).toContain('`__proto__`')
  })

  test('without values is stored with none', () => {
    expect(toResponseValues({ status: 'draft' })).toEqual({})
    expect(toResponseValues({ status: 'discarded', values: null })).toEqual({})
  })
})

describe('bodies of responses', () => {
  const record_id = '00000000-0000-4000-8000-000000000001'
  const user_id = record_id
  const places = {
    'POST /records/{id}/responses': (response: object) => accepts(ResponseCreate, response),
    'PUT /responses/{id}': (response: object) => accepts(ResponseUpdate, response),
    'POST /me/responses/bulk': (response: object) => accepts(ResponsesBulkUpsert, { items: [{ record_id, ...response }] }),
    'a record': (response: object) => accepts(ResponsesOfUsers, [{ user_id, ...response }]),
  }

  test.each([
    { place: 'POST /records/{id}/responses' as const, submitted: true, draft: true, discarded: true },
    { place: 'PUT /responses/{id}' as const, submitted: false, draft: true, discarded: true },
    { place: 'POST /me/responses/bulk' as const, submitted: false, draft: true, discarded: true },
    { place: 'a record' as const, submitted: false, draft: false, discarded: true },
  ])('$place may leave out values when submitted: $submitted, draft: $draft, discarded: $discarded', ({ place, ...without }) => {
    for (const status of ['submitted', 'draft', 'discarded'] as const) {
      expect(places[place]({ status })).toBe(without[status])
      expect(places[place]({ status, values: null })).toBe(without[status])
      expect(places[place]({ status, values: { why: { value: 'so' } } })).toBe(true)
      expect(places[place]({ status, values: { why: 'so' } })).toBe(false)
      expect(places[place]({ status, values: { why: { value: null } } })).toBe(false)
    }
    expect(places[place]({ status: 'pending', values: {} })).toBe(false)
  })

  test('a record has one response of a user', () => {
    const response = { user_id, status: 'discarded' }
    expect(accepts(ResponsesOfUsers, [response])).toBe(true)
    expect(accepts(ResponsesOfUsers, [response, response])).toBe(false)
  })

  test('a bulk has 1 to 100 responses', () => {
    const items = (count: number) => Array.from({ length: count }, () => ({ record_id, status: 'draft' }))
    expect([0, 1, 100, 101].map(count => accepts(ResponsesBulkUpsert, { items: items(count) }))).toEqual([
      false,
      true,
      true,
      false,
    ])
  })
})

describe('a write against what was read', () => {
  const current = { updated_at: '2026-11-15T02:11:22.769590' } as RecordResponse
  test.each([
    { given: undefined, of: null, ok: true },
    { given: undefined, of: current, ok: true },
    { given: null, of: null, ok: true },
    { given: null, of: current, ok: false },
    { given: '2026-11-15T02:11:22.769590', of: current, ok: true },
    { given: '2026-11-15T02:11:22.76959Z', of: current, ok: true },
    { given: '2026-11-15T02:11:22.769591', of: current, ok: false },
    { given: '2026-11-15T02:11:22.769', of: current, ok: false },
    { given: '2026-11-15T02:11:22.769590', of: null, ok: false },
  ])('if_updated_at $given, there is $of.updated_at -> $ok', ({ given, of, ok }) => {
    let thrown: unknown = null
    try {
      checkUnchanged(given, of)
    } catch (error) {
      thrown = error
    }
    if (ok) expect(thrown).toBeNull()
    else expect(thrown instanceof ResponseConflict && thrown.current).toBe(of)
  })

  test.each([
    { time: '2026-11-15T02:11:22.769596', ok: true },
    { time: '2026-11-15T02:11:22', ok: true },
    { time: '2026-11-15', ok: false },
    { time: '2026-11-15T02:11:22.769596+02:00', ok: false },
    { time: 1763172682, ok: false },
  ])('$time is such a time -> $ok', ({ time, ok }) => {
    const item = { record_id: '00000000-0000-4000-8000-000000000001', status: 'draft', if_updated_at: time }
    expect(accepts(ResponsesBulkUpsert, { items: [item] })).toBe(ok)
  })
})

test.each([
  { before: 'draft', after: 'draft', kept: false },
  { before: 'draft', after: 'submitted', kept: true },
  { before: 'draft', after: null, kept: true },
  { before: 'submitted', after: 'draft', kept: true },
  { before: 'submitted', after: 'submitted', kept: true },
])('of $before that becomes $after the old is kept: $kept', ({ before, after, kept }) => {
  expect(isVersionStored({ status: before }, after === null ? null : { status: after })).toBe(kept)
})
