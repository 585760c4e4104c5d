/** Compares the index of a dataset with its records, using the digest that every document contains. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Queryable } from '../../storage/database.ts'
import { findDatasetNo } from '../../storage/dataset-numbers.ts'
import type { IndexedDataset, Progress, Verification } from '../engine.ts'
import type { CatchUp } from './catch-up.ts'
import type { EngineClient } from './client.ts'
import { EngineUnavailable } from './errors.ts'
import { refreshIndex } from './indexes.ts'
import { DIGEST, RECORD_NO } from './keys.ts'
import { readPiece } from './read-work.ts'
import type { States, StoredState } from './states.ts'
import type { ClusterContext } from './work.ts'

const RECORDS_PER_PIECE = 500
const HITS_PER_PAGE = 5_000
/** How long to wait until the index includes the records to compare. */
const WAIT_MS = 600_000
const PAUSE_MS = 200
/** Maximum number of records that a difference lists. */
const NAMED_MAX = 5

interface Cluster {
  context: ClusterContext
  states: States
  catchUp: CatchUp
}

/** Records by kind of difference. */
interface Differences {
  missing: string[]
  different: string[]
  extra: string[]
}

export async function verify(
  cluster: Cluster,
  snapshot: Queryable,
  dataset: IndexedDataset,
  progress: Progress,
): Promise<Verification> {
  if (!dataset.published) return { records: 0, differences: [] }
  const state = await waitForState(cluster, dataset)
  await refreshIndex(cluster.context.client, state.index as string)
  const found: Differences = { missing: [], different: [], extra: [] }
  const datasetNo = await findDatasetNo(snapshot, dataset.id)
  const text = 'select no from records where dataset_no = ? and no > ? order by no limit ?'
  let records = 0
  for (let after = 0; ; ) {
    const recordNos = await snapshot.sql.column<number>(text, [datasetNo, after, RECORDS_PER_PIECE])
    const isLast = recordNos.length < RECORDS_PER_PIECE
    const last = isLast ? Number.MAX_SAFE_INTEGER : (recordNos.at(-1) as number)
    await comparePiece({ cluster, snapshot, dataset, state, found }, recordNos, { after, last })
    records += recordNos.length
    progress(records)
    if (isLast) return { records, differences: toSentences(found, state) }
    after = last
  }
}

async function waitForState({ states, catchUp }: Cluster, { id, changeNo }: IndexedDataset): Promise<StoredState> {
  const startedAt = performance.now()
  for (;;) {
    const state = await states.find(id)
    if (state?.index && state.change_no >= changeNo && state.fill === null) return state
    if (performance.now() - startedAt > WAIT_MS)
      throw new EngineUnavailable(`The search index did not reach the records within ${WAIT_MS / 1000} seconds`)
    await catchUp.run(id)
    await delay(PAUSE_MS)
  }
}

interface Comparison {
  cluster: Cluster
  snapshot: Queryable
  dataset: IndexedDataset
  state: StoredState
  found: Differences
}

/** Compares a batch of records. Skips documents that are newer than the snapshot. */
async function comparePiece(
  { cluster, snapshot, dataset, state, found }: Comparison,
  recordNos: readonly number[],
  range: { after: number; last: number },
): Promise<void> {
  const { client, flavour } = cluster.context
  const indexed = await readDigests(client, state.index as string, range)
  const version = dataset.changeNo
  const isAhead = state.change_no > version
  for (const { recordNo, recordId, json } of await readPiece(snapshot, dataset.settings, { recordNos, version, flavour })) {
    const known = indexed.get(recordNo)
    indexed.delete(recordNo)
    const name = recordId ?? String(recordNo)
    // If the index is ahead, the record may have been deleted after the snapshot.
    if (!known) found.missing.push(...(isAhead ? [] : [name]))
    else if (known.version <= version && known.digest !== JSON.parse(json as string).digest) found.different.push(name)
  }
  for (const [recordNo, { version: newer }] of indexed) if (newer <= version) found.extra.push(String(recordNo))
}

interface Digest {
  digest: string
  version: number
}

interface Page {
  hits: { hits: { _version: number; fields: { record_no: [number]; digest: [string] } }[] }
}

/** Returns digests by record number. */
async function readDigests(
  client: EngineClient,
  index: string,
  { after, last }: { after: number; last: number },
): Promise<Map<number, Digest>> {
  const digests = new Map<number, Digest>()
  for (let from = after; ; ) {
    const body = {
      size: HITS_PER_PAGE,
      query: { range: { record_no: { gt: from, lte: last } } },
      sort: [{ record_no: 'asc' }],
      _source: false,
      version: true,
      docvalue_fields: [RECORD_NO, DIGEST],
    }
    const { hits } = (await client.request<Page>({ method: 'POST', path: `/${index}/_search`, body })).hits
    for (const { _version, fields } of hits) digests.set(fields.record_no[0], { digest: fields.digest[0], version: _version })
    if (hits.length < HITS_PER_PAGE) return digests
    from = (hits.at(-1) as (typeof hits)[number]).fields.record_no[0]
  }
}

function toSentences({ missing, different, extra }: Differences, { refused }: StoredState): string[] {
  return [
    ...toSentence(missing, 'missing in the index'),
    ...toSentence(different, 'different in the index'),
    ...toSentence(extra, 'in the index, but not in the database (by number)'),
    ...refused.map(({ record_id, reason }) => `record ${record_id} was refused by the search engine: ${reason}`),
  ]
}

function toSentence(names: readonly string[], what: string): string[] {
  if (names.length === 0) return []
  const more = names.length > NAMED_MAX ? ' …' : ''
  return [
    `${names.length} ${names.length === 1 ? 'record is' : 'records are'} ${what}: ${names.slice(0, NAMED_MAX).join(', ')}${more}`,
  ]
}
