import type { User, Workspace } from '@postil/client'
import { ROLES, type Role, type UserUpdate } from '@postil/domain/users'
import { makeGroup } from '@postil/terminal/help'
import { ask, askNewPassword } from '@postil/terminal/prompt'
import { type Command, Option } from 'commander'
import { type CommandInput, requireOption, setAction } from '../command.ts'
import { Failure, findInvalid, hasCode, orFail } from '../failure.ts'
import { toBullets, toDate } from '../output.ts'
import { loadWorkspace, openSession, requireRole, type Session } from '../session.ts'
import { loadUser } from './workspaces.ts'

const USERNAME = '--username <username>'
/** Limit of concurrent requests. */
const REQUESTS_MAX = 4

const roleOption = () => new Option('--role <role>', 'role of the user').choices(ROLES)
const collect = (value: string, values: string[] = []) => [...values, value]

export function addUserCommands(program: Command): void {
  const group = program.command('users').description('Users and their roles').option(USERNAME, 'the user')
  makeGroup(group, ['users list', 'users create --username ann --workspace team', 'users --username ann delete'])

  const list = group
    .command('list')
    .description('List users')
    .option('--workspace <name>', 'only members of this workspace')
    .addOption(roleOption())
  setAction(list, ['users list', 'users list --workspace team --role annotator'], listUsers)

  const create = group
    .command('create')
    .description('Create a user')
    .option(USERNAME, 'asked for if it is missing')
    .option('--password <password>', '8 to 100 characters; asked for if it is missing, without showing it')
    .option('--first-name <name>', 'the username unless given')
    .option('--last-name <name>')
    .addOption(roleOption().default('annotator'))
    .option('--workspace <name>', 'workspace that the user joins; can be repeated', collect)
  setAction(
    create,
    ['users create --username ann', 'users create --username bob --role admin --workspace a --workspace b'],
    createUser,
  )

  const update = group
    .command('update')
    .description('Change a user')
    .option(USERNAME, 'the user')
    .addOption(roleOption())
    .option('--first-name <name>')
    .option('--last-name <name>')
    .option('--new-username <username>')
    .option('--password <password>', '8 to 100 characters')
    .option('--ask-password', 'ask for a new password, without showing it')
  setAction(update, ['users --username ann update --role admin', 'users update --username ann --ask-password'], updateUser)

  const remove = group.command('delete').description('Delete a user with their responses').option(USERNAME, 'the user')
  setAction(remove, ['users --username ann delete', 'users delete --username ann'], deleteUser)
}

async function listUsers({ options, out }: CommandInput<{ workspace?: string; role?: Role }>): Promise<void> {
  const session = await openSession()
  // Admins may list only the members of their own workspaces.
  requireRole(session, ...(options.workspace === undefined ? (['owner'] as const) : (['owner', 'admin'] as const)))
  const workspace = options.workspace === undefined ? null : loadWorkspace(session, options.workspace)
  const { users, namesOf } = await orFail('Unexpected error', () => readUsers(session, workspace))
  const chosen = users.filter(({ role }) => options.role === undefined || role === options.role)
  const rows = chosen.map(user => [
    user.id,
    user.username,
    user.role,
    user.first_name,
    user.last_name ?? '',
    namesOf(user)
      .map(name => `• ${name}`)
      .join('\n'),
    toDate(user.inserted_at),
    toDate(user.updated_at),
  ])
  const columns = ['ID', 'Username', 'Role', 'First name', 'Last name', 'Workspaces', 'Creation Date', 'Last Updated Date']
  const value = chosen.map(user => ({ ...user, workspaces: namesOf(user) }))
  out.table('Users', columns, rows, value)
}

/** Reads memberships by workspace, because there are fewer workspaces than users. */
async function readUsers({ client, workspaces }: Session, only: Workspace | null) {
  const names = new Map<string, string[]>()
  let members: User[] = []
  const queue = [...workspaces]
  const work = async () => {
    for (let workspace = queue.shift(); workspace; workspace = queue.shift()) {
      const { id, name } = workspace
      const { items } = await client.listWorkspaceUsers({ params: { workspace_id: id } })
      for (const user of items) names.set(user.id, [...(names.get(user.id) ?? []), name])
      if (id === only?.id) members = items
    }
  }
  await Promise.all(Array.from({ length: REQUESTS_MAX }, work))
  const users = only === null ? (await client.listUsers()).items : members
  return { users, namesOf: (user: User) => names.get(user.id)?.toSorted() ?? [] }
}

interface CreateOptions {
  username?: string
  password?: string
  firstName?: string
  lastName?: string
  role: Role
  workspace?: string[]
}

async function createUser({ options, out }: CommandInput<CreateOptions>): Promise<void> {
  const session = await openSession()
  requireRole(session, 'owner')
  const username = options.username ?? (await ask('Username', { option: '--username' }))
  checkUsername(username)
  const password = options.password ?? (await askNewPassword())
  const { role, workspace: workspaces = [], firstName = username, lastName } = options
  const body = { username, password, role, first_name: firstName, workspaces, ...(lastName && { last_name: lastName }) }
  const user = await orFail('Unexpected error', () => session.client.createUser({ body }), toInvalid(username))
  const lines = toBullets([
    ['Username', user.username],
    ['Role', user.role],
    ['First name', user.first_name],
    ['Last name', user.last_name ?? ''],
    ['API Key', user.api_key ?? ''],
    ['Workspaces', workspaces.join(', ')],
  ])
  out.panel('User created', lines, { ...user, workspaces })
}

/** Allows only names that are easy to type and to tell apart. The API accepts others too. */
function checkUsername(username: string): void {
  if (/^[A-Za-z0-9_-]+$/.test(username)) return
  throw new Failure('Invalid parameters', `\`${username}\` is not a username: use letters, digits, \`-\` and \`_\`.`)
}

const toInvalid = (username: string) => (error: unknown) => {
  if (hasCode(error, 'not_unique')) return new Failure('User already exists', `There is a user \`${username}\`.`)
  const reason = findInvalid(error)
  return reason === null ? null : new Failure('Invalid parameters', reason)
}

interface UpdateOptions extends Omit<CreateOptions, 'role' | 'workspace'> {
  role?: Role
  newUsername?: string
  askPassword?: boolean
}

async function updateUser(given: CommandInput<UpdateOptions>): Promise<void> {
  const { options, out } = given
  const username = requireOption(given, options.username, USERNAME)
  if (!hasChange(options)) given.misuse('nothing to change. Give --role, --first-name, --last-name, --new-username or --password')
  const session = await openSession()
  requireRole(session, 'owner')
  const user = await loadUser(session, username)
  const body = await toUpdate(options)
  const updated = await orFail(
    'Unexpected error',
    () => session.client.updateUser({ params: { user_id: user.id }, body }),
    toInvalid(options.newUsername ?? username),
  )
  const lines = toBullets([
    ['Username', updated.username],
    ['Role', updated.role],
    ['First name', updated.first_name],
    ['Last name', updated.last_name ?? ''],
  ])
  out.panel('User updated', lines, updated)
}

const hasChange = ({ role, firstName, lastName, newUsername, password, askPassword }: UpdateOptions) =>
  [role, firstName, lastName, newUsername, password, askPassword].some(value => value !== undefined)

async function toUpdate(options: UpdateOptions): Promise<UserUpdate> {
  const { role, firstName, lastName, newUsername } = options
  if (newUsername !== undefined) checkUsername(newUsername)
  const password = options.password ?? (options.askPassword ? await askNewPassword() : undefined)
  return {
    ...(role !== undefined && { role }),
    ...(firstName !== undefined && { first_name: firstName }),
    ...(lastName !== undefined && { last_name: lastName }),
    ...(newUsername !== undefined && { username: newUsername }),
    ...(password !== undefined && { password }),
  }
}

async function deleteUser(given: CommandInput<{ username?: string }>): Promise<void> {
  const username = requireOption(given, given.options.username, USERNAME)
  const session = await openSession()
  requireRole(session, 'owner')
  const user = await loadUser(session, username)
  await orFail('Unexpected error', () => session.client.deleteUser({ params: { user_id: user.id } }))
  given.out.panel('User removed', [`User \`${username}\` was deleted.`], user)
}
