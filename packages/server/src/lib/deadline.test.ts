import { DomainError } from '@postil/domain/errors'
import { expect, test } from 'vitest'
import { createDeadline } from './deadline.ts'

test('a read is ended once it takes longer than allowed, and the next begins anew', () => {
  let now = 1_000_000
  const deadline = createDeadline(10_000, () => now)
  now += 60_000
  expect(() => deadline.check(), 'nothing began').not.toThrow()
  deadline.start()
  now += 10_000
  expect(() => deadline.check()).not.toThrow()
  now += 1
  expect(() => deadline.check()).toThrow(DomainError)
  expect(() => deadline.check()).toThrow(/longer than 10 seconds. Narrow it/)
  deadline.start()
  expect(() => deadline.check()).not.toThrow()
})
