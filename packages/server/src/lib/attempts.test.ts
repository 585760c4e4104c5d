import { expect, test } from 'vitest'
import { openAttempts } from './attempts.ts'

function openAt(start = 1_000) {
  const clock = { ms: start }
  return { clock, attempts: openAttempts(() => clock.ms) }
}

const many = (count: number, attempt: () => void) => {
  for (let i = 0; i < count; i++) attempt()
}

test('ten attempts may be made at once, the eleventh not, and it says how long to wait', () => {
  const { attempts } = openAt()
  many(10, () => attempts.take('lena'))
  expect(() => attempts.take('lena')).toThrow(expect.objectContaining({ code: 'too_many_attempts', retryAfterSeconds: 5 }))
})

test('after that there is one every five seconds', () => {
  const { attempts, clock } = openAt()
  many(10, () => attempts.take('lena'))
  clock.ms += 4_999
  expect(() => attempts.take('lena')).toThrow(expect.objectContaining({ retryAfterSeconds: 1 }))
  clock.ms += 1
  attempts.take('lena')
  expect(() => attempts.take('lena')).toThrow(expect.objectContaining({ retryAfterSeconds: 5 }))
})

test('refused attempts do not make the wait longer', () => {
  const { attempts, clock } = openAt()
  many(10, () => attempts.take('lena'))
  many(50, () => expect(() => attempts.take('lena')).toThrow())
  clock.ms += 5_000
  attempts.take('lena')
})

test('after fifty quiet seconds everything is forgotten', () => {
  const { attempts, clock } = openAt()
  many(10, () => attempts.take('lena'))
  clock.ms += 50_000
  many(10, () => attempts.take('lena'))
  expect(() => attempts.take('lena')).toThrow()
})

test('right ones do not count', () => {
  const { attempts } = openAt()
  many(100, () => {
    attempts.take('lena')
    attempts.giveBack('lena')
  })
  many(10, () => attempts.take('lena'))
  expect(() => attempts.take('lena')).toThrow()
})

test('keys do not share', () => {
  const { attempts } = openAt()
  many(10, () => attempts.take('lena'))
  attempts.take('omar')
})

test('of very many keys the oldest is forgotten, and those of today are not', () => {
  const { attempts } = openAt()
  many(10, () => attempts.take('first'))
  for (let i = 0; i < 9_990; i++) attempts.take(`other ${i}`)
  many(10, () => attempts.take('last'))
  for (let i = 0; i < 20; i++) attempts.take(`more ${i}`)
  many(10, () => attempts.take('first'))
  expect(() => attempts.take('last')).toThrow()
})
