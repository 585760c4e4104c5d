import { expect, test } from 'vitest'
import { openArmed } from './armed.ts'

const { labelFor, disarm, offer, offerFor, pick, stopWaiting, takeBack, wait } = openArmed()

test('a picked label is in hand until it is picked again', () => {
  pick('q1', 'a')
  expect(labelFor('q1')).toBe('a')
  expect(labelFor('q2')).toBeNull()
  pick('q1', 'b')
  expect(labelFor('q1')).toBe('b')
  pick('q1', 'b')
  expect(labelFor('q1')).toBeNull()
})

test('a picked label goes to the selection that waits, and is not in hand after', () => {
  const marked: string[] = []
  const waiting = { mark: (label: string) => void marked.push(label) }
  wait('q3', waiting)
  pick('q3', 'a')
  stopWaiting('q3', waiting)
  pick('q3', 'b')
  expect(marked).toEqual(['a'])
  expect(labelFor('q3')).toBe('b')
  expect(disarm('q3')).toBe(true)
  expect(disarm('q3')).toBe(false)
})

test('of many texts the last to wait is meant, and the others do not take that back', () => {
  const marked: string[] = []
  const first = { mark: () => void marked.push('first') }
  const second = { mark: () => void marked.push('second') }
  wait('q4', first)
  wait('q4', second)
  stopWaiting('q4', first)
  pick('q4', 'a')
  expect(marked).toEqual(['second'])
})

test('an offer stands until its own text takes it back', () => {
  const [one, other] = [
    { count: 1, take() {} },
    { count: 2, take() {} },
  ]
  offer('q5', one)
  offer('q5', other)
  takeBack('q5', one)
  expect(offerFor('q5')).toEqual(other)
  takeBack('q5', other)
  expect(offerFor('q5')).toBeNull()
})
