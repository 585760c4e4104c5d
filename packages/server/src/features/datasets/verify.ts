import type { Context } from '../../context.ts'
import type { TextDocument } from '../../search/engine.ts'
import type { Queryable } from '../../storage/database.ts'
import { type IndexRows, iterateIndexRows } from '../records/index-rows.ts'
import { listMetadataValues } from '../records/metadata-store.ts'
import { countRecords } from '../records/store.ts'
import { listResponseTerms } from '../responses/store.ts'
import { listSuggestionTerms } from '../suggestions/store.ts'
import { loadDatasetSettings, toSearched } from './settings.ts'
import type { StoredDataset } from './store.ts'

export interface Verification {
  records: number
  /** What differs, in sentences; empty when the index equals the store. */
  differences: string[]
}

/** Compares a dataset's index with its records, one consistent view of both. */
export function verifyDataset(ctx: Context, dataset: StoredDataset, progress: (done: number) => void): Promise<Verification> {
  return ctx.db.snapshot(async db => {
    const settings = await loadDatasetSettings(db, dataset)
    const differences: string[] = []
    let done = 0
    async function* texts(): AsyncGenerator<TextDocument[]> {
      for await (const rows of iterateIndexRows(db, dataset.id, settings)) {
        differences.push(...(await compareTerms(db, rows)))
        done += rows.records.length
        progress(done)
        yield rows.texts
      }
    }
    const found = await ctx.search.verify(db, toSearched(dataset, settings), texts())
    if (found.wrong.length > 0)
      differences.push(`text of ${found.wrong.length} records differs, first record number ${found.wrong[0]}`)
    if (found.surplus > 0) differences.push(`the text index holds ${found.surplus} entries without a record`)
    differences.push(...(await compareCounts(db, dataset)))
    return { records: done, differences }
  })
}

async function compareTerms(db: Queryable, rows: IndexRows): Promise<string[]> {
  const nos = rows.records.map(record => record.no)
  const pairs: [string, readonly object[], readonly object[]][] = [
    ['metadata', rows.metadata, await listMetadataValues(db, nos)],
    ['suggestions', rows.suggestionTerms, await listSuggestionTerms(db, nos)],
    ['responses', rows.responseTerms, await listResponseTerms(db, nos)],
  ]
  return pairs.flatMap(([name, wanted, found]) => {
    const [missing, surplus] = [difference(wanted, found), difference(found, wanted)]
    return missing + surplus === 0
      ? []
      : [`${name}: ${missing} values missing and ${surplus} too many from record number ${nos[0]} on`]
  })
}

function difference(left: readonly object[], right: readonly object[]): number {
  const text = (row: object) => JSON.stringify(Object.entries(row).sort())
  const known = new Set(right.map(text))
  return new Set(left.map(text).filter(row => !known.has(row))).size
}

async function compareCounts(db: Queryable, dataset: StoredDataset): Promise<string[]> {
  const { records, completed } = await countRecords(db, dataset.id)
  const same = records === dataset.records_count && completed === dataset.completed_count
  return same
    ? []
    : [`kept totals are ${dataset.records_count} records, ${dataset.completed_count} completed; counted ${records}, ${completed}`]
}
