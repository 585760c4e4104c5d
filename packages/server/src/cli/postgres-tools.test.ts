import { expect, test } from 'vitest'
import { createRowCounter } from './dump-rows.ts'
import { toConnection } from './postgres-tools.ts'

test.each([
  ['postgresql://ann:p%40ss@db:5433/notes', 'postgresql://ann@db:5433/notes', 'p@ss'],
  ['postgresql://ann@/notes?host=%2Frun%2Fpostgresql', 'postgresql://ann@/notes?host=%2Frun%2Fpostgresql', null],
  ['postgresql://db/notes?user=ann&password=a%26b', 'postgresql://db/notes?user=ann', 'a&b'],
  ['postgresql://ann:p@s:s@db/notes', 'postgresql://ann@db/notes', 'p@s:s'],
  ['postgresql://ann:@db/notes', 'postgresql://ann@db/notes', ''],
  ['postgresql://db/notes?sslmode=require&uselibpqcompat=true', 'postgresql://db/notes?sslmode=require', null],
  [
    'postgresql://db/notes?sslmode=verify-full&uselibpqcompat=true',
    'postgresql://db/notes?sslmode=verify-full&sslrootcert=system',
    null,
  ],
  [
    'postgresql://db/notes?sslmode=verify-ca&sslrootcert=%2Fmy%20ca.pem',
    'postgresql://db/notes?sslmode=verify-ca&sslrootcert=%2Fmy%20ca.pem',
    null,
  ],
])('%s is handed to a tool without its password', (url, target, password) => {
  expect(toConnection(url)).toEqual({
    target: [`--dbname=${target}`],
    variables: password === null ? {} : { PGPASSWORD: password },
  })
})

const OUTPUT = [
  'SET statement_timeout = 0;',
  'COPY public.users (no, name) FROM stdin;',
  '1\tann',
  '',
  'COPY x (y) FROM stdin;',
  `3\t${'long '.repeat(1_000)}`,
  '\\.',
  '',
  'COPY public."Empty" (no) FROM stdin;',
  '\\.',
  "SELECT pg_catalog.setval('public.users_no_seq', 3, true);",
  '',
].join('\n')

test.each([1, 2, 7, 1_000, 1e6])('rows of a dump are counted in pieces of %d bytes', size => {
  const counter = createRowCounter()
  const bytes = Buffer.from(OUTPUT)
  for (let from = 0; from < bytes.length; from += size) counter.add(bytes.subarray(from, from + size))
  expect([...counter.rows]).toEqual([
    ['users', 4],
    ['Empty', 0],
  ])
})
