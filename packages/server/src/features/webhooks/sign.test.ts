import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { newSecret, signedHeaders } from './sign.ts'

test('secrets are 64 random bytes', () => {
  const secrets = [newSecret(), newSecret()]
  for (const secret of secrets) expect(Buffer.from(secret, 'base64').length).toBe(64)
  expect(secrets[0]).not.toBe(secrets[1])
})

test('each secret signs id, time and body, in their order', () => {
  const secrets = [newSecret(), newSecret()]
  const body = '{"text":"Grüße ✓"}'
  const headers = signedHeaders(secrets, body, new Date('2026-01-05T09:12:44.999Z'))
  expect(headers['webhook-timestamp']).toBe('1767604364')
  const sign = (secret: string) =>
    createHmac('sha256', Buffer.from(secret, 'base64'))
      .update(Buffer.from(`${headers['webhook-id']}.1767604364.${body}`))
      .digest('base64')
  expect(headers['webhook-signature']).toBe(secrets.map(secret => `v1,${sign(secret)}`).join(' '))
})

test('no two attempts have the same id', () => {
  const ids = Array.from({ length: 100 }, () => signedHeaders([], '', new Date())['webhook-id'])
  expect(new Set(ids).size).toBe(100)
  for (const id of ids) expect(id).toMatch(/^msg_[\w-]{22}$/)
})
