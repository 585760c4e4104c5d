/** `postil server database users`: manages users without a running server. */
import { randomBytes } from 'node:crypto'
import { DomainError, type ShapeProblem } from '@postil/domain/errors'
import { ROLES, type Role, UserCreate } from '@postil/domain/users'
import { ask, askNewPassword, closePrompts } from '@postil/terminal/prompt'
import { readConfig } from '../config.ts'
import type { Context } from '../context.ts'
import { type CommandUser, changeRole, storeUsers } from '../features/users/command-line.ts'
import { findUserByUsername } from '../features/users/store.ts'
import { compileSchema } from '../http/validate.ts'
import { OperatorError } from '../lib/operator-error.ts'
import { withKeys } from './open-home.ts'
import { readUsersFile } from './users-file.ts'

const DEFAULT_USERNAME = 'postil'

const say = (line: string) => void process.stdout.write(`${line}\n`)
const quote = (text: string) => `'${text}'`

export interface CreateOptions {
  firstName?: string
  lastName?: string
  username?: string
  role?: Role
  password?: string
  apiKey?: string
  workspace?: string[]
}

export async function createUser(options: CreateOptions): Promise<number> {
  try {
    const { password, ...given } = await complete(options)
    return await withKeys(async ctx => {
      const user = { ...given, ...(await toSecrets(ctx, password, options.apiKey)) }
      if (!(await storeUnlessTaken(ctx, user, 'database users create'))) {
        say(`Skipped: the username ${quote(user.username)} or the API key is taken.`)
        return 0
      }
      tellUser('User created', user)
      return 0
    })
  } finally {
    closePrompts()
  }
}

/** Prompts for missing values and checks everything before the database is opened. */
async function complete(options: CreateOptions) {
  const username = options.username ?? (await ask('Username', { option: '--username' }))
  const role = options.role ?? (await askRole())
  const password = options.password ?? (await askNewPassword())
  const { firstName: first_name, lastName: last_name = null, workspace: workspaces = [], apiKey } = options
  const problems: ShapeProblem[] = []
  const checked = compileSchema(UserCreate)({ first_name, last_name, username, role, password, workspaces }, [], problems)
  const lines = problems.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`)
  if (apiKey !== undefined && !/^[\x21-\x7e]{8,}$/.test(apiKey)) {
    lines.push('api_key: at least 8 letters, digits and signs of ASCII, without spaces')
  }
  if (lines.length > 0) throw new OperatorError(`The user was not created.\n${lines.map(line => `  - ${line}`).join('\n')}`)
  const { first_name: firstName } = checked as UserCreate
  return { first_name: firstName, last_name: (checked as UserCreate).last_name ?? null, username, role, password, workspaces }
}

async function askRole(): Promise<Role> {
  const answer = await ask(`Role (${ROLES.join(', ')}) [annotator]`, { option: '--role' })
  const role = ROLES.find(one => one === (answer || 'annotator'))
  if (role) return role
  throw new OperatorError(`${quote(answer)} is not a role. Roles: ${ROLES.join(', ')}.`)
}

async function toSecrets(ctx: Context, password: string, apiKey: string | undefined) {
  const passwordHash = await ctx.passwords.hash(password, { source: 'command', isKnown: true })
  return { passwordHash, apiKey: apiKey ?? ctx.apiKeys.create() }
}

/** Returns false, and stores nothing, if the username or the API key is taken. */
async function storeUnlessTaken(ctx: Context, user: CommandUser, command: string): Promise<boolean> {
  try {
    await storeUsers(ctx, [user], command)
    return true
  } catch (error) {
    if (error instanceof DomainError && error.code === 'not_unique') return false
    if (error instanceof DomainError) throw new OperatorError(`The user was not created: ${error.explanation}.`, { cause: error })
    throw error
  }
}

function tellUser(headline: string, { first_name, last_name, username, role, apiKey, workspaces }: CommandUser): void {
  say(headline)
  say(`• first_name: ${quote(first_name)}`)
  if (last_name !== null) say(`• last_name: ${quote(last_name)}`)
  say(`• username: ${quote(username)}`)
  say(`• role: ${quote(role)}`)
  say(`• api_key: ${quote(apiKey)}`)
  say(`• workspaces: [${workspaces.map(quote).join(', ')}]`)
}

interface DefaultOptions {
  apiKey?: string
  password?: string
  quiet: boolean
}

/**
 * Generates a random password and API key for the default user unless they are given, so that no server has a well-known
 * credential.
 */
export function createDefaultUser(options: DefaultOptions): Promise<number> {
  const tell = options.quiet ? () => {} : say
  return withKeys(async ctx => {
    const username = DEFAULT_USERNAME
    if (await findUserByUsername(ctx.db, username)) {
      tell(`The default user ${quote(username)} exists already. Nothing was changed.`)
      return 0
    }
    const password = options.password ?? randomBytes(18).toString('base64url')
    const secrets = await toSecrets(ctx, password, options.apiKey)
    const user: CommandUser = { first_name: '', last_name: null, username, role: 'owner', workspaces: [username], ...secrets }
    if (!(await storeUnlessTaken(ctx, user, 'database users create_default'))) {
      tell('Skipped: the API key is taken.')
      return 0
    }
    tell('Default user created. The password is not shown again:')
    tell(`• username: ${quote(username)}`)
    tell(`• password: ${quote(password)}`)
    tell(`• role: 'owner'`)
    tell(`• api_key: ${quote(secrets.apiKey)}`)
    return 0
  })
}

export async function updateUser(username: string, options: { role?: Role }): Promise<number> {
  try {
    const role = options.role ?? (await askRole())
    return await withKeys(async ctx => {
      const from = await changeRole(ctx, username, role, 'database users update')
      if (from === null) say(`Skipped: there is no user ${quote(username)}.`)
      else if (from === role) say(`Skipped: ${quote(username)} has the role ${quote(role)} already.`)
      else say(`User ${quote(username)} updated\n• role: ${quote(from)} -> ${quote(role)}`)
      return 0
    })
  } finally {
    closePrompts()
  }
}

/** Imports the users of a 1.x server from its file: all of them, or none. */
export async function migrateUsers(): Promise<number> {
  const { usersFile } = readConfig()
  say(`Reading users from ${usersFile}`)
  const users = readUsersFile(usersFile)
  return withKeys(async ctx => {
    try {
      await storeUsers(ctx, users, 'database users migrate')
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      throw new OperatorError(`No user was migrated: ${error.explanation}.`, { cause: error })
    }
    for (const { username, role, workspaces } of users) say(`• ${quote(username)} (${role}): ${workspaces.join(', ')}`)
    say(`${users.length} users were migrated.`)
    return 0
  })
}
