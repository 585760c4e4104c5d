import { describe, expect, test } from 'vitest'
import { ShapeError } from '../../errors.ts'
import type { Json } from '../../schema.ts'
import { isRefused } from '../../testing.ts'
import { CHAT_LIMITS_DEFAULT, chat, checkMessageLengths } from './chat.ts'

const message = (role = 'user', content = 'hi') => ({ role, content })

describe('chat field', () => {
  test.each([
    { why: 'messages', value: [message(), message('bot')], ok: true },
    { why: 'no message', value: [], ok: true },
    { why: '500 messages', value: Array.from({ length: 500 }, () => message()), ok: true },
    { why: '501 messages', value: Array.from({ length: 501 }, () => message()), ok: false },
    { why: 'a message without role', value: [{ content: 'hi' }], ok: false },
    { why: 'a message whose content is a number', value: [{ role: 'user', content: 3 }], ok: false },
    { why: 'texts', value: ['hi'], ok: false },
    { why: 'a text', value: 'hi', ok: false },
    { why: 'an object', value: message(), ok: false },
  ])('with $why -> $ok', ({ value, ok }) => {
    expect(isRefused(() => chat.checkValue(value, 'talk'))).toBe(!ok)
  })

  test('keeps only the role and content of a message', () => {
    expect(chat.toStored([{ ...message(), at: 'noon' }])).toEqual([message()])
  })

  test('counts messages for spans', () => {
    expect(chat.spanLength([message(), message()])).toBe(2)
  })

  test('is found by each role and content on its own', () => {
    expect(chat.toText([message('user', 'a b'), message('bot', 'c')])).toEqual(['user', 'a b', 'bot', 'c'])
  })
})

describe('lengths of messages', () => {
  const problems = (fields: { [name: string]: Json } | null) => {
    try {
      checkMessageLengths(
        [
          { fields: {}, loc: ['body', 'items', 0] },
          { fields, loc: ['body', 'items', 1] },
        ],
        CHAT_LIMITS_DEFAULT,
      )
      return null
    } catch (error) {
      if (error instanceof ShapeError) return error.problems
      throw error
    }
  }

  test.each([
    { why: 'a role of 20 characters', given: message('r'.repeat(20)), ok: true },
    { why: 'a role of 20 characters outside the basic plane', given: message('👍'.repeat(20)), ok: true },
    { why: 'a role of 21 characters', given: message('r'.repeat(21)), ok: false },
    { why: 'an empty role', given: message(''), ok: false },
    { why: 'a content of one character', given: message('user', 'x'), ok: true },
    { why: 'an empty content', given: message('user', ''), ok: false },
    { why: 'a content of 20,000 characters', given: message('user', 'x'.repeat(20_000)), ok: true },
    { why: 'a content of 20,001 characters', given: message('user', 'x'.repeat(20_001)), ok: false },
  ])('$why -> $ok', ({ given, ok }) => {
    expect(problems({ talk: [given] }) === null).toBe(ok)
  })

  test('are reported at the fields of the item, naming the field', () => {
    expect(problems({ talk: [message('')] })).toMatchObject([{ type: 'value_error', loc: ['body', 'items', 1, 'fields'] }])
    expect(problems({ talk: [message('')] })?.[0]?.msg).toContain('`talk`')
  })

  test('do not concern other values', () => {
    expect(problems(null)).toBeNull()
    expect(problems({ text: '', card: { role: '' }, none: null })).toBeNull()
  })
})
