import type { Context } from '../context.ts'
import { auditCommand } from '../features/audit-log/add.ts'
import { reindexDataset } from '../features/datasets/reindex.ts'
import { listDatasets, loadDataset, type StoredDataset } from '../features/datasets/store.ts'
import { verifyDataset } from '../features/datasets/verify.ts'
import { checkNewest } from '../storage/migrate.ts'
import { withHome } from './open-home.ts'

/** Builds the index of one dataset, or of all, anew; oldest first. */
export function reindex(datasetId: string | null): Promise<number> {
  return withHome({ readonly: false }, async ctx => {
    const datasets = await chosen(ctx, datasetId)
    await auditCommand(ctx, 'server.reindexed', { command: 'search-engine reindex', dataset_id: datasetId })
    for (const dataset of datasets) {
      const records = await reindexDataset(ctx, dataset, showProgress('Indexing', dataset))
      say(`\rIndexed ${records} records of ${dataset.name}.\n`)
    }
    return 0
  })
}

/** Exit code 1 when the index differs from the store. */
export function verify(datasetId: string | null): Promise<number> {
  return withHome({ readonly: true }, async ctx => {
    let differences = 0
    for (const dataset of await chosen(ctx, datasetId)) {
      const found = await verifyDataset(ctx, dataset, showProgress('Comparing', dataset))
      differences += found.differences.length
      say(
        `\r${dataset.name}: ${found.records} records compared, ${found.differences.length === 0 ? 'all equal' : 'different'}.\n`,
      )
      for (const difference of found.differences) say(`  - ${difference}\n`)
    }
    if (differences > 0) say('Build the index anew with `postil server search-engine reindex`.\n')
    return differences === 0 ? 0 : 1
  })
}

const say = (text: string) => void process.stdout.write(text)

async function chosen(ctx: Context, datasetId: string | null): Promise<StoredDataset[]> {
  // A start that was killed may have left the schema between two revisions.
  await checkNewest(ctx.db)
  return datasetId === null ? listDatasets(ctx.db, { workspaceIds: null }) : [await loadDataset(ctx.db, datasetId)]
}

/** One line that is overwritten, on a terminal only: a log gets the result alone. */
function showProgress(verb: string, dataset: StoredDataset): (done: number) => void {
  if (!process.stdout.isTTY) return () => {}
  return done => say(`\r${verb} ${dataset.name}: ${done} of ${dataset.records_count}`)
}
