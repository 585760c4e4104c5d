import { expect, test } from 'vitest'
import { explainListenFailure } from './start.ts'

const failure = (code: string, syscall: string) => Object.assign(new Error(`${syscall} ${code}`), { code, syscall })
const config = { host: '192.0.2.1', port: 80 }

test.each([
  [failure('EADDRINUSE', 'listen'), 'Port 80 on 192.0.2.1 is taken'],
  [failure('EACCES', 'listen'), 'may not listen on port 80'],
  [failure('EADDRNOTAVAIL', 'listen'), '192.0.2.1 is not an address of this machine'],
  [failure('ENOTFOUND', 'getaddrinfo'), '`192.0.2.1` is not an address or name'],
])('%s is explained', (error, words) => {
  expect(explainListenFailure(error, config)?.message).toContain(words)
})

test.each([[failure('EACCES', 'open')], [failure('EMFILE', 'listen')], [new Error('bug')]])(
  '%s is not about the address',
  error => {
    expect(explainListenFailure(error, config)).toBeNull()
  },
)
