import { toCsv } from '@postil/domain/exports/csv'
import { describe, expect, test } from 'vitest'
import { parseCsv } from './csv.ts'
import { generatePassword } from './generate-password.ts'
import { type ImportMode, PEOPLE_MAX, readPeople } from './people-file.ts'

const known = { usernames: new Set(['taken']), workspaces: new Set(['care', 'news']) }
const read = (text: string, mode: ImportMode = 'password') => readPeople(text, known, mode)
const people = (text: string, mode?: ImportMode) => {
  const result = read(text, mode)
  return 'people' in result ? result.people : []
}
const issuesOf = (row: string, mode?: ImportMode) =>
  people(`username,first_name,last_name,role,workspaces\n${row}`, mode)[0]?.issues

describe('CSV', () => {
  test.each([
    { what: 'commas', text: 'a,b\n1,2\n' },
    { what: 'semicolons', text: 'a;b\r\n1;2' },
    { what: 'tabs', text: 'a\tb\r1\t2' },
    { what: 'a byte order mark', text: '\uFEFFa,b\n\n1,2\n\n' },
  ])('with $what', ({ text }) => {
    expect(parseCsv(text)?.map(({ cells }) => cells)).toEqual([
      ['a', 'b'],
      ['1', '2'],
    ])
  })

  test('cells in quotes hold delimiters, quotes and line breaks; lines are counted', () => {
    expect(parseCsv('a,b\n"x, ""y""\nz",2\n3,4')).toEqual([
      { line: 1, cells: ['a', 'b'] },
      { line: 2, cells: ['x, "y"\nz', '2'] },
      { line: 4, cells: ['3', '4'] },
    ])
  })

  test('text after a closing quote belongs to the cell', () => {
    expect(parseCsv('"a"b,c\n1,2')?.map(({ cells }) => cells)).toEqual([
      ['ab', 'c'],
      ['1', '2'],
    ])
  })

  test('a quote that is not closed is refused', () => expect(parseCsv('a,b\n"1,2')).toBeNull())

  test('written CSV reads back unchanged, and no cell is a formula', () => {
    const rows = [['=1+1', '-x', '@a', '+2', 'plain', 'with "quotes", and\nlines', '']]
    expect(parseCsv(toCsv(rows))?.[0]?.cells).toEqual(rows[0])
    expect(toCsv(rows)).not.toMatch(/(^|,)"?[=@-]/)
  })
})

describe('a file of people', () => {
  test('columns are found by name in any order; roles and names may be missing', () => {
    const text = 'Role;User name;First name;Workspaces\nAdmin;lena;Lena;"care;news"\n;omar;Omar;care|news|care\n'
    expect(people(text)).toEqual([
      { line: 2, username: 'lena', first_name: 'Lena', last_name: null, role: 'admin', workspaces: ['care', 'news'], issues: [] },
      {
        line: 3,
        username: 'omar',
        first_name: 'Omar',
        last_name: null,
        role: 'annotator',
        workspaces: ['care', 'news'],
        issues: [],
      },
    ])
  })

  test.each([
    { text: '', issue: 'empty' },
    { text: 'username,first_name\n', issue: 'empty' },
    { text: 'name,role\nlena,admin', issue: 'no_username' },
    { text: 'username\n"lena', issue: 'quote' },
    { text: `username\n${'x\n'.repeat(PEOPLE_MAX + 1)}`, issue: 'too_many' },
  ])('$issue', ({ text, issue }) => expect(read(text)).toEqual({ issue }))

  test.each([
    { row: 'lena,Lena,Roth,annotator,care', codes: [] },
    { row: ',Lena', codes: ['username_missing'] },
    { row: 'taken,Lena', codes: ['username_taken'] },
    { row: `${'x'.repeat(201)},Lena`, codes: ['username_long'] },
    { row: 'lena,', codes: ['first_name_missing'] },
    { row: `lena,Lena,${'x'.repeat(201)}`, codes: ['name_long'] },
    { row: 'lena,Lena,,king,care;lost', codes: ['role_unknown', 'workspace_unknown'] },
  ])('$codes', ({ row, codes }) => expect(issuesOf(row)?.map(({ code }) => code)).toEqual(codes))

  test('an invitation needs no first name', () => expect(issuesOf('lena,', 'invitation')).toEqual([]))

  test('the second row with the same username is refused', () => {
    const rows = people('username,first_name\nlena,Lena\nlena,Lena')
    expect(rows.map(({ issues }) => issues)).toEqual([[], [{ code: 'username_twice' }]])
  })
})

test('generated passwords are long, plain and never the same', () => {
  const made = Array.from({ length: 200 }, generatePassword)
  for (const password of made) expect(password).toMatch(/^[a-zA-Z2-9]{20}$/)
  expect(new Set(made).size).toBe(200)
})
