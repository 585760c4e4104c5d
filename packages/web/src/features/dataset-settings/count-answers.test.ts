import { expect, test } from 'vitest'
import { countAnswers } from './count-answers.ts'

test('answers of all people, whatever their status', () => {
  const none = { submitted: 0, discarded: 0, draft: 0 }
  expect(countAnswers({ users: [] })).toBe(0)
  expect(
    countAnswers({
      users: [
        { username: 'a', completed: { submitted: 3, discarded: 1, draft: 0 }, pending: { submitted: 0, discarded: 0, draft: 2 } },
        { username: 'b', completed: none, pending: { submitted: 4, discarded: 0, draft: 0 } },
      ],
    }),
  ).toBe(10)
})
