import { describe, expect, test } from 'vitest'
import { foldedCount, isLong, toTurns, turnsToText } from './turns.ts'

const talk = (...roles: string[]) => roles.map(role => ({ role, content: `I am ${role}` }))

describe('turns of a chat', () => {
  test('a plain text is one message of the user', () => {
    expect(toTurns('hi')).toMatchObject([{ role: 'user', content: 'hi', side: 'start', colour: 1 }])
  })

  test.each([
    { why: 'the user first', roles: ['user', 'assistant', 'user'], sides: 'start end start' },
    { why: 'the assistant first: roles decide, not the position', roles: ['assistant', 'user'], sides: 'end start' },
    { why: 'two strangers', roles: ['anna', 'ben', 'ben'], sides: 'start end end' },
    { why: 'one role', roles: ['assistant', 'assistant'], sides: 'start start' },
    { why: 'three roles', roles: ['system', 'user', 'assistant'], sides: 'start start start' },
  ])('sides with $why', ({ roles, sides }) => {
    expect(
      toTurns(talk(...roles))
        .map(({ side }) => side)
        .join(' '),
    ).toBe(sides)
  })

  test('a role is named once in a run', () => {
    expect(toTurns(talk('user', 'user', 'bot', 'user')).map(({ isRun }) => isRun)).toEqual([false, true, false, false])
  })

  test('known roles keep their colour in every record, others take a free one', () => {
    expect(toTurns(talk('judge', 'assistant', 'user', 'jury')).map(({ colour }) => colour)).toEqual([3, 2, 1, 4])
    expect(toTurns(talk('a', 'b', 'c', 'd', 'e', 'f', '__proto__')).every(({ colour }) => colour >= 1 && colour <= 5)).toBe(true)
  })

  test.each([
    { content: '{"tool":"search","q":[1]}', json: true },
    { content: ' [1, 2] ', json: true },
    { content: '{not json}', json: false },
    { content: 'see [1]', json: false },
    { content: '42', json: false },
  ])('structured content: $content -> $json', ({ content, json }) => {
    expect(toTurns([{ role: 'tool', content }])[0]?.json !== null).toBe(json)
  })

  test.each([null, undefined, 3, {}, [null, 'text', 4]])('nothing is shown for %j', value => {
    expect(toTurns(value)).toEqual([])
  })

  test('messages that are not quite messages are shown, not thrown', () => {
    expect(toTurns([{ role: 3, content: { a: 1 } }])).toMatchObject([{ role: '', content: '{"a":1}' }])
  })
})

test.each([
  [0, 0],
  [6, 0],
  [7, 4],
  [12, 9],
])('of %d turns, %d are folded', (turns, folded) => {
  expect(foldedCount(turns)).toBe(folded)
})

test('a turn is long by letters or by lines', () => {
  expect([isLong('short'), isLong('x'.repeat(1501)), isLong('\n'.repeat(20))]).toEqual([false, true, true])
})

test('a chat as text names who speaks', () => {
  expect(turnsToText(talk('user', 'bot'))).toBe('user: I am user\n\nbot: I am bot')
})
