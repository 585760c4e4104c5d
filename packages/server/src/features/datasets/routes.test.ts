import { CONTRACTS } from '@postil/domain/api/all'
import { expect, test } from 'vitest'
import { readLiveOfUsers } from './live-read.ts'

test('progress of any user is for event streams only: no contract, so that nobody can call it', () => {
  expect(CONTRACTS.map(({ id }) => id)).not.toContain(readLiveOfUsers.id)
})
