import { DomainError, ShapeError } from '@postil/domain/errors'
import type { Webhook } from '@postil/domain/webhooks'
import { describe, expect, test } from 'vitest'
import { draftIssues, fieldOf, toCreate, toDraft, toUpdate, type WebhookDraft } from './webhook-draft.ts'

const STORED: Webhook = {
  id: '0190c9d6-5a00-7000-8000-000000000001',
  url: 'https://hooks.example.org/in',
  secret: 'secret',
  events: ['record.created', 'dataset.created'],
  enabled: true,
  description: null,
  inserted_at: '2026-01-05T09:12:44.120031',
  updated_at: '2026-01-05T09:12:44.120031',
}
const draft = (change: Partial<WebhookDraft> = {}): WebhookDraft => ({ ...toDraft(STORED), ...change })

describe('issues of a draft', () => {
  test.each([
    { change: {}, issues: [] },
    { change: { url: ' HTTP://hooks.example.org ' }, issues: [] },
    { change: { url: '' }, issues: ['url'] },
    { change: { url: 'hooks.example.org' }, issues: ['url'] },
    { change: { url: 'ftp://hooks.example.org' }, issues: ['url'] },
    { change: { url: 'javascript:alert(1)' }, issues: ['url'] },
    { change: { url: `https://hooks.example.org/${'x'.repeat(2083)}` }, issues: ['url'] },
    { change: { events: [] }, issues: ['events'] },
    { change: { description: '😀'.repeat(1000) }, issues: [] },
    { change: { description: 'x'.repeat(1001) }, issues: ['description'] },
    { change: { url: 'x', events: [] }, issues: ['url', 'events'] },
  ])('$change', ({ change, issues }) => {
    expect(Object.keys(draftIssues(draft(change)))).toEqual(issues)
  })
})

describe('update sent for a draft', () => {
  test.each<{ change: Partial<WebhookDraft>; sent: object | null }>([
    { change: {}, sent: null },
    { change: { events: ['dataset.created', 'record.created'] }, sent: null },
    { change: { events: ['dataset.created'] }, sent: { events: ['dataset.created'] } },
    { change: { url: ' https://hooks.example.org/other ' }, sent: { url: 'https://hooks.example.org/other' } },
    { change: { description: ' For the archive ' }, sent: { description: 'For the archive' } },
    { change: { description: '  ' }, sent: null },
  ])('$change', ({ change, sent }) => {
    expect(toUpdate(STORED, draft(change))).toEqual(sent)
  })

  test('a description that was emptied is cleared', () => {
    expect(toUpdate({ ...STORED, description: 'Old' }, draft({ description: '' }))).toEqual({ description: null })
  })

  test('a new webhook sends everything', () => {
    expect(toCreate(draft({ description: ' x ' }))).toEqual({ url: STORED.url, events: STORED.events, description: 'x' })
  })
})

test.each([
  { error: new DomainError('unprocessable', 'private address', ['url']), field: 'url' },
  { error: new DomainError('unprocessable', 'at most 10'), field: null },
  { error: new ShapeError([{ type: 'value_error', loc: ['body', 'events'], msg: 'twice' }]), field: 'events' },
  { error: new Error('x'), field: null },
])('a refusal is about $field', ({ error, field }) => {
  expect(fieldOf(error)).toBe(field)
})
