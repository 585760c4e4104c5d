/**
 * Imports everything from the database of an Argilla server, in three passes: read and check all of it, write it, and compare the
 * stored data with the source. Nothing is written if the first pass finds a conflict or a row that would be lost.
 */
import type { Id } from '@postil/domain/schema'
import type { Context } from '../context.ts'
import { OperatorError } from '../lib/operator-error.ts'
import { type Conflicts, findConflicts, findExistingRecords } from './conflicts.ts'
import { addAnnotator, addDataset, addMembership, addRecord, addUser, addWebhook, addWorkspace } from './contents.ts'
import { type ImportProblems, newImportProblems } from './findings.ts'
import { type Accounts, readAccounts } from './read-accounts.ts'
import { readDatasets, type SourceDataset } from './read-datasets.ts'
import { createRecordReader, listBatches } from './read-records.ts'
import { tallyAccounts, tallyDataset } from './read-target.ts'
import type { Source } from './source.ts'
import { type Kind, newTally, type Tally } from './tally.ts'
import { auditImport, writeAccounts, writeDataset, writeWebhooks } from './write.ts'
import { writeRecords } from './write-records.ts'

export interface ImportOptions {
  /** Writes nothing if true. */
  dryRun: boolean
  /** Leaves out rows that cannot be stored, instead of refusing the import. */
  skipInvalid: boolean
  /** Shows how many of the records are done. */
  progress(label: string, total: number): { show(done: number): void; end(): void }
}

export interface ImportResult {
  checked: ImportProblems
  source: Tally
  /** Null after a dry run. */
  target: Tally | null
  /** Number of records that this run wrote, or would write. */
  added: number
}

export async function importArgilla(ctx: Context, source: Source, options: ImportOptions): Promise<ImportResult> {
  const scanned = await scan(ctx, source, options)
  const { checked, tally, missing } = scanned
  if (scanned.conflicts.lines.length > 0) throw refusal('The target has things of the same name or id', scanned.conflicts.lines)
  if (checked.leftOut.count() > 0 && !options.skipInvalid) {
    const what = `${checked.leftOut.count()} rows of the source cannot be stored (--skip-invalid leaves them out)`
    throw refusal(what, checked.leftOut.lines())
  }
  if (options.dryRun) return { checked, source: tally, target: null, added: missing }
  await writeAll(ctx, source, scanned, options)
  return { checked, source: tally, target: await compare(ctx, scanned, options), added: missing }
}

const refusal = (what: string, lines: readonly string[]) =>
  new OperatorError(`Nothing was written. ${what}:\n${lines.map(line => `  - ${line}`).join('\n')}`)

interface ScanResult {
  checked: ImportProblems
  accounts: Accounts
  datasets: SourceDataset[]
  conflicts: Conflicts
  tally: Tally
  /** Number of records that are not in the target yet. */
  missing: number
}

/** Reads the whole source. */
async function scan(ctx: Context, source: Source, { progress }: ImportOptions): Promise<ScanResult> {
  const checked = newImportProblems()
  const accounts = await readAccounts(source, checked)
  const datasets = await readDatasets(source, checked, accounts)
  const conflicts = await findConflicts(ctx, accounts, datasets)
  const tally = newTally()
  for (const user of accounts.users) addUser(tally, user)
  for (const workspace of accounts.workspaces) addWorkspace(tally, workspace)
  for (const membership of accounts.memberships) addMembership(tally, membership)
  for (const webhook of accounts.webhooks) addWebhook(tally, webhook)
  const bar = progress('Reading', await countRows(source, 'records'))
  let missing = 0
  for (const from of datasets) {
    addDataset(tally, from)
    for (const annotator of from.annotators) addAnnotator(tally, from.dataset.id, annotator)
    const reader = createRecordReader({ source, checked, from, userIds: idsOf(accounts.users) })
    for (const ids of await listBatches(source, from.dataset.id)) {
      const records = await reader.read(ids)
      reader.noteBrokenRules(records)
      for (const record of records) addRecord(tally, from.dataset.id, record)
      const found = await findExistingRecords(ctx, [...idsOf(records)])
      missing += records.length - found.size
      for (const [id, datasetId] of found) {
        if (datasetId !== from.dataset.id) conflicts.lines.push(`Record ${id}: it is in another dataset here (${datasetId}).`)
      }
      bar.show(tally.count('records'))
    }
  }
  bar.end()
  await findOrphans(source, checked, tally)
  return { checked, accounts, datasets, conflicts, tally, missing }
}

const idsOf = (items: readonly { id: Id }[]): ReadonlySet<Id> => new Set(items.map(({ id }) => id))

async function countRows(source: Source, table: string): Promise<number> {
  const [row] = await source.all(`select count(*) as rows from ${table}`)
  return Number(row?.rows)
}

const TABLES: Partial<Record<Kind, string>> = { memberships: 'workspaces_users', annotators: 'datasets_users' }
const READ_BY_OTHERS: readonly Kind[] = ['records', 'responses', 'suggestions', 'vectors']

/** Reports rows whose dataset or record does not exist or is left out. */
async function findOrphans(source: Source, { leftOut, leftOutOf }: ImportProblems, tally: Tally): Promise<void> {
  for (const kind of READ_BY_OTHERS) {
    const table = TABLES[kind] ?? kind
    const lost = (await countRows(source, table)) - tally.count(kind) - (leftOutOf.get(table) ?? 0)
    if (lost !== 0) leftOut.add(`${table}: ${lost} rows belong to a dataset or a record that is not there or is left out`)
  }
}

async function writeAll(ctx: Context, source: Source, scanned: ScanResult, { progress }: ImportOptions): Promise<void> {
  const { accounts, datasets, conflicts, tally } = scanned
  await writeAccounts(ctx, accounts, conflicts.existing)
  const bar = progress('Writing', tally.count('records'))
  let done = 0
  for (const from of datasets) {
    if (!conflicts.existing.has(from.dataset.id)) await writeDataset(ctx, from)
    const reader = createRecordReader({ source, checked: newImportProblems(), from, userIds: idsOf(accounts.users) })
    for (const ids of await listBatches(source, from.dataset.id)) {
      const records = await reader.read(ids)
      const found = await findExistingRecords(ctx, [...idsOf(records)])
      const added = records.filter(({ id }) => !found.has(id))
      await writeRecords(ctx, from.dataset.id, added)
      done += records.length
      bar.show(done)
    }
  }
  bar.end()
  await writeWebhooks(ctx, accounts.webhooks, conflicts.existing)
  if (scanned.missing > 0) await auditImport(ctx, { datasets: datasets.length, records: scanned.missing })
}

async function compare(ctx: Context, { accounts, datasets, tally }: ScanResult, { progress }: ImportOptions): Promise<Tally> {
  const target = newTally()
  await tallyAccounts(ctx, accounts, target)
  const bar = progress('Comparing', tally.count('records'))
  let done = 0
  for (const from of datasets) {
    await tallyDataset(ctx, from, target, count => {
      done += count
      bar.show(done)
    })
  }
  bar.end()
  return target
}
