/** The owner given in the environment for the first start. */
import { describe, expect, test } from 'vitest'
import { readConfig } from './config.ts'
import { configProblems } from './testing/config.ts'

describe('the first owner', () => {
  const given = { USERNAME: 'lena', PASSWORD: '12345678' }

  test.each([
    { env: given, owner: { username: 'lena', password: '12345678', apiKey: null, workspace: null } },
    { env: { ...given, API_KEY: 'abcdefgh', WORKSPACE: 'team' }, owner: { apiKey: 'abcdefgh', workspace: 'team' } },
    { env: { ...given, PASSWORD: ''.padEnd(100, 'x') }, owner: { username: 'lena' } },
    { env: { ...given, USERNAME: '🦀'.repeat(200) }, owner: { password: '12345678' } },
  ])('comes from $env', ({ env, owner }) => {
    expect(readConfig(env).firstOwner).toMatchObject(owner)
  })

  test.each([{ USERNAME: 'lena' }, { PASSWORD: '12345678' }, { API_KEY: 'short' }, { USERNAME: 'lena', API_KEY: 'short' }])(
    'is nobody with %o alone',
    env => {
      expect(readConfig(env as Record<string, string>).firstOwner).toBeNull()
    },
  )

  test.each([
    { env: { ...given, PASSWORD: '1234567' }, problem: 'PASSWORD has 7 characters; expected 8 to 100.' },
    { env: { ...given, PASSWORD: ''.padEnd(101, 'x') }, problem: 'PASSWORD has 101 characters; expected 8 to 100.' },
    { env: { ...given, USERNAME: 'x'.repeat(201) }, problem: 'USERNAME has 201 characters; expected at most 200.' },
    { env: { ...given, API_KEY: '1234567' }, problem: 'API_KEY has 7 characters; expected at least 8.' },
  ])('is refused: $problem', ({ env, problem }) => {
    expect(configProblems(env)).toEqual([problem])
  })
})
