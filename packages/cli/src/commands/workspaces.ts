import type { User, Workspace } from '@postil/client'
import { makeGroup } from '@postil/terminal/help'
import type { Command } from 'commander'
import { type CommandInput, requireOption, setAction } from '../command.ts'
import { Failure, hasCode, orFail } from '../failure.ts'
import { toDate } from '../output.ts'
import { loadWorkspace, openSession, requireRole, type Session } from '../session.ts'

const NAME = '--name <name>'

export function addWorkspaceCommands(program: Command): void {
  const group = program.command('workspaces').description('Workspaces and their members').option(NAME, 'the workspace')
  makeGroup(group, ['workspaces list', 'workspaces create team', 'workspaces --name team add-user ann'])

  setAction(
    group.command('list').description('List your workspaces; all of them for an owner'),
    ['workspaces list', 'workspaces list --json'],
    listWorkspaces,
  )
  const create = group.command('create').description('Create a workspace').argument('<name>', 'name of the new workspace')
  setAction(create, ['workspaces create team'], createWorkspace)

  const addUser = group
    .command('add-user')
    .description('Make a user a member')
    .argument('<username>')
    .option(NAME, 'the workspace')
  setAction(addUser, ['workspaces --name team add-user ann', 'workspaces add-user ann --name team'], addMember)

  const deleteUser = group
    .command('delete-user')
    .description('End the membership of a user')
    .argument('<username>')
    .option(NAME, 'the workspace')
  setAction(deleteUser, ['workspaces --name team delete-user ann', 'workspaces delete-user ann --name team'], removeMember)
}

async function listWorkspaces({ out }: CommandInput<unknown>): Promise<void> {
  const { workspaces } = await openSession()
  const rows = workspaces.map(({ id, name, inserted_at, updated_at }) => [id, name, toDate(inserted_at), toDate(updated_at)])
  out.table('Workspaces', ['ID', 'Name', 'Creation Date', 'Last Update Date'], rows, workspaces)
}

async function createWorkspace({ args: [name = ''], out }: CommandInput<unknown>): Promise<void> {
  const session = await openSession()
  requireRole(session, 'owner')
  const workspace = await orFail(
    'Unexpected error',
    () => session.client.createWorkspace({ body: { name } }),
    error => (hasCode(error, 'not_unique') ? new Failure('Workspace already exists', `There is a workspace \`${name}\`.`) : null),
  )
  out.panel('Workspace created', [`Workspace \`${name}\` was created.`], workspace)
}

interface Membership {
  session: Session
  workspace: Workspace
  user: User
}

async function addMember(given: CommandInput<{ name?: string }>): Promise<void> {
  const { session, workspace, user } = await loadMembership(given)
  const already = new Failure('User already exists', `\`${user.username}\` is a member of \`${workspace.name}\` already.`)
  await orFail(
    'Unexpected error',
    () => session.client.addWorkspaceUser({ params: { workspace_id: workspace.id }, body: { user_id: user.id } }),
    error => (hasCode(error, 'not_unique') ? already : null),
  )
  given.out.panel('User added', [`\`${user.username}\` is now a member of \`${workspace.name}\`.`], { user, workspace })
}

async function removeMember(given: CommandInput<{ name?: string }>): Promise<void> {
  const { session, workspace, user } = await loadMembership(given)
  const absent = new Failure('User not in workspace', `\`${user.username}\` is not a member of \`${workspace.name}\`.`)
  await orFail(
    'Unexpected error',
    () => session.client.removeWorkspaceUser({ params: { workspace_id: workspace.id, user_id: user.id } }),
    error => (hasCode(error, 'not_found') ? absent : null),
  )
  given.out.panel('User deleted', [`\`${user.username}\` is not a member of \`${workspace.name}\` any more.`], {
    user,
    workspace,
  })
}

async function loadMembership(given: CommandInput<{ name?: string }>): Promise<Membership> {
  const name = requireOption(given, given.options.name, NAME)
  const session = await openSession()
  requireRole(session, 'owner')
  const workspace = loadWorkspace(session, name)
  const user = await loadUser(session, given.args[0] ?? '')
  if (user.role === 'owner')
    throw new Failure('User is owner', `\`${user.username}\` is an owner, and owners need no membership.`)
  return { session, workspace, user }
}

export async function loadUser({ client }: Session, username: string): Promise<User> {
  const { items } = await orFail('Unexpected error', () => client.listUsers())
  const found = items.find(user => user.username === username)
  if (found) return found
  throw new Failure('User not found', `There is no user \`${username}\`.`)
}
