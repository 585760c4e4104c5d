import { describe, expect, test } from 'vitest'
import { isDelivered, normalizeWebhookUrl, retryPause, webhookStatus, webhookUrlProblem } from './webhooks.ts'

describe('the URL of a webhook', () => {
  test.each([
    ['https://hooks.example.org/in', 'https://hooks.example.org/in'],
    ['http://h:1', 'http://h:1/'],
    ['HTTPS://Hooks.Example.ORG/In?A=B', 'https://hooks.example.org/In?A=B'],
    ['http://[::1]:8080/a', 'http://[::1]:8080/a'],
    ['http://h/a/../b', 'http://h/b'],
  ])('%s is stored as %s', (given, stored) => {
    expect(webhookUrlProblem(given)).toBeNull()
    expect(normalizeWebhookUrl(given)).toBe(stored)
    expect(normalizeWebhookUrl(stored)).toBe(stored)
  })

  test.each([
    '',
    'example.org',
    '/in',
    'ftp://example.org/',
    'http://',
    'http:example.org',
    'https://exa mple.org',
    'javascript:alert(1)',
  ])('`%s` is refused', given => {
    expect(webhookUrlProblem(given)).toContain('http://')
  })
})

test.each([
  [1, 10],
  [2, 60],
  [3, 180],
  [4, null],
  [5, null],
])('after %i failed attempts, the pause is %s seconds', (attempts, pause) => {
  expect(retryPause(attempts)).toBe(pause)
})

test.each([
  [199, false],
  [200, true],
  [204, true],
  [299, true],
  [301, false],
  [404, false],
  [500, false],
])('status %i counts as delivered: %s', (status, delivered) => {
  expect(isDelivered(status)).toBe(delivered)
})

test.each([
  { enabled: true, failing_since: null, paused_at: null, status: 'working' },
  { enabled: true, failing_since: 'then', paused_at: null, status: 'failing' },
  { enabled: false, failing_since: 'then', paused_at: null, status: 'disabled' },
  { enabled: false, failing_since: 'then', paused_at: 'now', status: 'paused' },
])('$status: $enabled, $failing_since, $paused_at', ({ status, ...parts }) => {
  expect(webhookStatus(parts)).toBe(status)
})
