import { OperatorError } from '../lib/operator-error.ts'
import { migrateWithAudit } from '../migrate-with-audit.ts'
import type { Database } from '../storage/database.ts'
import { type Loss, listLosses } from '../storage/losses.ts'
import { listAppliedRevisions, MIGRATIONS, planMigration } from '../storage/migrate.ts'
import { withHome } from './open-home.ts'

const say = (line: string) => void process.stdout.write(`${line}\n`)

export function migrateDatabase({ revision, force }: { revision: string; force: boolean }): Promise<number> {
  return withHome({ readonly: false, create: true }, async ctx => {
    await checkLosses(ctx.db, revision, force)
    await migrateWithAudit(ctx, { target: revision, command: 'database migrate', tell: say })
    say(`The database is at revision ${(await listAppliedRevisions(ctx.db)).at(-1) ?? 'base'}.`)
    return 0
  })
}

/** A downgrade deletes data: lists what it would delete, and refuses without `--force`. */
async function checkLosses(db: Database, revision: string, force: boolean): Promise<void> {
  const { down } = await planMigration(db, revision)
  if (down.length === 0) return
  const losses = await listLosses(db, revision)
  const lines = losses.length === 0 ? ['No content is lost.'] : ['This content is deleted for good:', ...losses.map(toLine)]
  if (force) return lines.forEach(say)
  throw new OperatorError(
    [
      `Going down to revision ${revision} takes back ${down.map(({ name }) => name).join(', ')}. Nothing was changed yet.`,
      ...lines,
      'Make a backup first (`postil server backup <folder>`), then add --force.',
    ].join('\n'),
  )
}

const toLine = ({ table, column, rows }: Loss) => `  ${table}${column === null ? '' : `, column ${column}`}: ${rows} rows`

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
