import type { Context } from '../context.ts'
import { auditCommand } from '../features/audit-log/add.ts'
import { reindexDataset } from '../features/datasets/reindex.ts'
import { listDatasets, loadDataset, type StoredDataset } from '../features/datasets/store.ts'
import { verifyDataset } from '../features/datasets/verify.ts'
import { OperatorError } from '../lib/operator-error.ts'
import { findDamage } from '../storage/find-damage.ts'
import { checkNewest } from '../storage/migrate.ts'
import { withHome } from './open-home.ts'

/** Rebuilds the index of one dataset, or of all, oldest first. */
export function reindex(datasetId: string | null): Promise<number> {
  return withHome({ readonly: false }, async ctx => {
    const datasets = await listSelected(ctx, datasetId)
    await auditCommand(ctx, 'server.reindexed', { command: 'search-engine reindex', dataset_id: datasetId })
    for (const dataset of datasets) {
      const records = await reindexDataset(ctx, dataset, showProgress('Indexing', dataset))
      say(`\rIndexed ${records} records of ${dataset.name}.\n`)
    }
    if (datasetId === null)
      for (const index of await ctx.search.removeLeftovers()) say(`Deleted ${index}, whose dataset is gone.\n`)
    return 0
  })
}

/** Returns exit code 1 if the index differs from the database. */
export function verify(datasetId: string | null): Promise<number> {
  return withHome({ readonly: true }, async ctx => {
    await requireWhole(ctx)
    let differences = 0
    for (const dataset of await listSelected(ctx, datasetId)) {
      const found = await verifyDataset(ctx, dataset, showProgress('Comparing', dataset))
      differences += found.differences.length
      say(
        `\r${dataset.name}: ${found.records} records compared, ${found.differences.length === 0 ? 'all equal' : 'different'}.\n`,
      )
      for (const difference of found.differences) say(`  - ${difference}\n`)
    }
    if (datasetId === null) differences += await verifyLeftovers(ctx)
    if (differences > 0) say('Build the index anew with `postil server search-engine reindex`.\n')
    return differences === 0 ? 0 : 1
  })
}

/** An index can equal damaged records, so equality would say nothing. */
async function requireWhole({ config, db }: Context): Promise<void> {
  const damage = await findDamage(db)
  if (damage === null) return
  throw new OperatorError(
    `${config.databaseFile} is damaged: ${damage}. Nothing was compared. Check the disk, keep a copy of the file, and restore a backup.`,
  )
}

/** Returns the number of indexes that `reindex` would delete. */
async function verifyLeftovers({ search }: Context): Promise<number> {
  const leftovers = await search.findLeftovers()
  for (const { index, isOurs } of leftovers) {
    say(
      isOurs
        ? `  - the index ${index} is left, but its dataset is gone\n`
        : `The index ${index} was not made for this database, which does not have its dataset: it is left alone.\n`,
    )
  }
  return leftovers.filter(({ isOurs }) => isOurs).length
}

const say = (text: string) => void process.stdout.write(text)

async function listSelected(ctx: Context, datasetId: string | null): Promise<StoredDataset[]> {
  // A killed start may have left the schema between two revisions.
  await checkNewest(ctx.db)
  return datasetId === null ? listDatasets(ctx.db, { workspaceIds: null }) : [await loadDataset(ctx.db, datasetId)]
}

/** Overwrites one line, only on a terminal: logs contain the result alone. */
function showProgress(verb: string, dataset: StoredDataset): (done: number) => void {
  if (!process.stdout.isTTY) return () => {}
  return done => say(`\r${verb} ${dataset.name}: ${done} of ${dataset.records_count}`)
}
