import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createFairQueue } from './fair-queue.ts'

/** `a1` is the first item of user `a`; `<` takes one item. */
test.each([
  { what: 'one person: first in, first out', steps: 'a1 a2 a3 < < <', taken: 'a1 a2 a3' },
  { what: 'a person with many waits behind a person with one', steps: 'a1 a2 a3 b1 < < < <', taken: 'a1 b1 a2 a3' },
  { what: 'three persons take turns', steps: 'a1 a2 b1 b2 c1 < < < < <', taken: 'a1 b1 c1 a2 b2' },
  { what: 'a person who waits already keeps the turn before a newcomer', steps: 'a1 a2 < b1 < <', taken: 'a1 a2 b1' },
  { what: 'who left the queue comes back at its end', steps: 'a1 b1 b2 < a2 < < <', taken: 'a1 b1 a2 b2' },
  { what: 'an empty queue gives nothing', steps: '< a1 < <', taken: '- a1 -' },
])('$what', ({ steps, taken }) => {
  const queue = createFairQueue<string>()
  const given: string[] = []
  for (const step of steps.split(' ')) {
    if (step === '<') given.push(queue.take() ?? '-')
    else queue.push(step.charAt(0), step)
  }
  expect(given.join(' ')).toBe(taken)
  expect(queue.size).toBe(0)
})

test('items of one person are taken out, and the turns of others stay', () => {
  const queue = createFairQueue<string>()
  for (const item of ['a1', 'a2', 'b1', 'a3']) queue.push(item.charAt(0), item)
  expect(queue.remove('a', item => item !== 'a2')).toEqual(['a1', 'a3'])
  expect(queue.remove('c', () => true)).toEqual([])
  expect([queue.size, queue.take(), queue.take(), queue.take()]).toEqual([2, 'a2', 'b1', undefined])
  queue.push('a', 'a4')
  expect([queue.remove('a', () => true), queue.size, queue.take()]).toEqual([['a4'], 0, undefined])
})

test('nobody is served twice while somebody else who was there before waits', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 30 }), persons => {
      const queue = createFairQueue<string>()
      for (const person of persons) queue.push(person, person)
      const left = new Map<string, number>(persons.map(person => [person, persons.filter(other => other === person).length]))
      let last = ''
      for (let i = 0; i < persons.length; i++) {
        const person = queue.take() ?? ''
        const others = [...left].filter(([other, count]) => other !== last && count > 0)
        if (others.length > 0) expect(person).not.toBe(last)
        left.set(person, (left.get(person) ?? 0) - 1)
        last = person
      }
      expect(queue.take()).toBe(undefined)
    }),
  )
})
