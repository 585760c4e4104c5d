/** Reads a CSV file of users, one per row, and checks it before any user is created. */
import { codePointLength } from '@postil/domain/code-points'
import { ROLES, type Role, USER_NAME_LENGTH_MAX } from '@postil/domain/users'
import { parseCsv } from './csv.ts'

export const PEOPLE_MAX = 1_000
export const FILE_BYTES_MAX = 1_048_576

const COLUMNS = ['username', 'first_name', 'last_name', 'role', 'workspaces'] as const
type Column = (typeof COLUMNS)[number]

/** Reason why the whole file is rejected. */
export type FileIssue = 'empty' | 'quote' | 'no_username' | 'too_many' | 'too_large'

export type RowIssue =
  | { code: 'username_missing' | 'username_long' | 'username_taken' | 'username_twice' | 'first_name_missing' | 'name_long' }
  | { code: 'role_unknown' | 'workspace_unknown'; value: string }

export interface Person {
  line: number
  username: string
  first_name: string
  last_name: string | null
  role: Role
  /** Names of the workspaces. */
  workspaces: string[]
  issues: RowIssue[]
}

/** Names that exist on the server. */
export interface ExistingNames {
  usernames: ReadonlySet<string>
  workspaces: ReadonlySet<string>
}

/** Invitations do not need a first name, because invited users enter it themselves. */
export type ImportMode = 'password' | 'invitation'

export function readPeople(text: string, known: ExistingNames, mode: ImportMode): { people: Person[] } | { issue: FileIssue } {
  const rows = parseCsv(text)
  if (rows === null) return { issue: 'quote' }
  const [header, ...others] = rows
  if (header === undefined || others.length === 0) return { issue: 'empty' }
  if (others.length > PEOPLE_MAX) return { issue: 'too_many' }
  const names = header.cells.map(cell =>
    cell
      .trim()
      .toLowerCase()
      .replaceAll(/[\s-]+/g, '_')
      .replace('user_name', 'username'),
  )
  if (!names.includes('username')) return { issue: 'no_username' }
  const places = Object.fromEntries(COLUMNS.map(column => [column, names.indexOf(column)])) as Record<Column, number>
  const people = others.map(({ line, cells }) => {
    const cellOf = (column: Column) => (cells[places[column]] ?? '').trim()
    return toPerson(line, cellOf, known, mode)
  })
  return { people: markRepeated(people) }
}

function toPerson(line: number, cellOf: (column: Column) => string, known: ExistingNames, mode: ImportMode): Person {
  const role = cellOf('role').toLowerCase()
  const workspaces = [
    ...new Set(
      cellOf('workspaces')
        .split(/[;|]/)
        .map(name => name.trim())
        .filter(name => name !== ''),
    ),
  ]
  const person = { line, username: cellOf('username'), first_name: cellOf('first_name'), last_name: cellOf('last_name') || null }
  const isRole = role === '' || ROLES.some(one => one === role)
  const issues: RowIssue[] = [
    ...usernameIssues(person.username, known),
    ...(person.first_name === '' && mode === 'password' ? [{ code: 'first_name_missing' } as const] : []),
    ...([person.first_name, person.last_name ?? ''].some(isLong) ? [{ code: 'name_long' } as const] : []),
    ...(isRole ? [] : [{ code: 'role_unknown', value: role } as const]),
    ...workspaces.flatMap(value => (known.workspaces.has(value) ? [] : [{ code: 'workspace_unknown', value } as const])),
  ]
  return { ...person, role: isRole && role !== '' ? (role as Role) : 'annotator', workspaces, issues }
}

const isLong = (name: string) => codePointLength(name) > USER_NAME_LENGTH_MAX

function usernameIssues(username: string, { usernames }: ExistingNames): RowIssue[] {
  if (username === '') return [{ code: 'username_missing' }]
  if (isLong(username)) return [{ code: 'username_long' }]
  return usernames.has(username) ? [{ code: 'username_taken' }] : []
}

/** Marks every row whose username occurs in an earlier row. */
function markRepeated(people: readonly Person[]): Person[] {
  const seen = new Set<string>()
  return people.map(person => {
    const isAgain = person.username !== '' && seen.has(person.username)
    seen.add(person.username)
    return isAgain ? { ...person, issues: [...person.issues, { code: 'username_twice' }] } : person
  })
}
