import { listAppliedRevisions, MIGRATIONS, migrate } from '../storage/migrate.ts'
import { withHome } from './open-home.ts'

const say = (line: string) => void process.stdout.write(`${line}\n`)

export function migrateDatabase(revision: string): Promise<number> {
  return withHome({ readonly: false }, async ctx => {
    await migrate(ctx.db, revision, ctx.now, say)
    say(`The database is at revision ${(await listAppliedRevisions(ctx.db)).at(-1) ?? 'base'}.`)
    return 0
  })
}

export function showRevisions(): Promise<number> {
  return withHome({ readonly: true }, async ctx => {
    say('Tagged revisions')
    for (const { name, tags } of MIGRATIONS) for (const tag of tags) say(`  • ${tag} (${name})`)
    say('All revisions, newest first')
    for (const { name, title } of MIGRATIONS.toReversed()) say(`  ${name} ${title}`)
    say('Current revision')
    say(`  ${(await listAppliedRevisions(ctx.db)).at(-1) ?? 'none'}`)
    return 0
  })
}
