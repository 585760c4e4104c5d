import { ROLES } from '@postil/domain/users'
import { addExamples, makeGroup } from '@postil/terminal/help'
import { type Command, Option } from 'commander'
import { migrateDatabase, showRevisions } from './database.ts'
import { createDefaultUser, createUser, migrateUsers, updateUser } from './database-users.ts'
import type { RunCommand } from './main.ts'

export function addDatabase(server: Command, done: RunCommand): void {
  const database = server.command('database').description('The schema of the database, and its users')
  makeGroup(database, ['server database migrate', 'server database revisions', 'server database users --help'])
  addExamples(database.command('migrate'), ['server database migrate', 'server database migrate --revision 0.1 --force'])
    .description('Bring the schema to a revision, up or down')
    .option('--revision <revision>', 'a revision, a release, `head` or `base`', 'head')
    .option('--force', 'go down although what the older schema has no place for is deleted', false)
    .action(options => done(migrateDatabase(options)))
  addExamples(database.command('revisions'), ['server database revisions'])
    .description('List known revisions and the current one')
    .action(() => done(showRevisions()))
  addUsers(database, done)
}

const collect = (value: string, values: string[] = []) => [...values, value]
const roleOption = () => new Option('--role <role>', 'role of the user; asked for if it is missing').choices(ROLES)

function addUsers(database: Command, done: RunCommand): void {
  const users = database.command('users').description('Users, without a running server')
  makeGroup(users, [
    'server database users create --first-name Ann --username ann --role owner',
    'server database users update ann --role admin',
  ])
  const create = addExamples(users.command('create'), [
    'server database users create --first-name Ann --username ann',
    'server database users create --first-name Ann --username ann --role owner --workspace team',
  ])
    .description('Create a user')
    .option('--first-name <name>', 'required')
    .option('--last-name <name>')
    .option('--username <username>', 'asked for if it is missing')
    .addOption(roleOption())
    .option('--password <password>', '8 to 100 characters; asked for if it is missing, without showing it')
    .option('--api-key <key>', 'at least 8 characters; a random one unless given')
    .option('--workspace <name>', 'workspace that the user joins, created if it does not exist; can be repeated', collect)
    .action(options => (Object.keys(options).length === 0 ? create.outputHelp() : done(createUser(options))))
  addExamples(users.command('create_default'), ['server database users create_default'])
    .description('Create the default owner `postil` with a workspace of this name, unless there is one')
    .option('--api-key <key>', 'a random one unless given')
    .option('--password <password>', 'a random one unless given')
    .option('--quiet', 'print nothing', false)
    .action(options => done(createDefaultUser(options)))
  addExamples(users.command('update'), ['server database users update ann --role admin'])
    .description('Change the role of a user')
    .argument('<username>')
    .addOption(roleOption())
    .action((username, options) => done(updateUser(username, options)))
  addExamples(users.command('migrate'), ['server database users migrate'])
    .description('Take over the users of a 1.x server from SERVICE_USERS_DB_FILE')
    .action(() => done(migrateUsers()))
}
