/** Reads the copy of a data folder with the server's own code, but without a server. */
import type { DatasetMetrics } from '@postil/domain/datasets'
import type { DatasetRecord } from '@postil/domain/records'
import { readConfig } from '@postil/server/config'
import type { Context, RequestContext } from '@postil/server/context'
import { getMyDatasetMetrics } from '@postil/server/features/datasets/get-my-metrics'
import { listDatasets } from '@postil/server/features/datasets/store'
import { verifyDataset } from '@postil/server/features/datasets/verify'
import { listRecords, searchRecords } from '@postil/server/features/records/search'
import { findActorByApiKeyHash } from '@postil/server/features/users/store'
import { readSecrets } from '@postil/server/lib/secrets'
import { openContext } from '@postil/server/open-context'
import { checkNewest } from '@postil/server/storage/migrate'
import { TEST_SENDER } from '@postil/server/testing/context'
import { type Caller, caller } from '../contract/http.ts'

export async function withCopyOpen<T>(home: string, work: (ctx: Context) => Promise<T>): Promise<T> {
  const config = readConfig({}, { homePath: home, logLevel: 'error' })
  const ctx = openContext({ config, secrets: readSecrets(home), readonly: true, cacheMb: 32 })
  try {
    return await work(ctx)
  } finally {
    await ctx.search.close()
    await ctx.db.close()
  }
}

/** What `postil server search-engine verify` compares. Throws if the schema is not the newest. */
export function verifyCopy(home: string): Promise<{ compared: number; differences: string[] }> {
  return withCopyOpen(home, async ctx => {
    await checkNewest(ctx.db)
    const all = { compared: 0, differences: [] as string[] }
    for (const dataset of await listDatasets(ctx.db, { workspaceIds: null })) {
      const { records, differences } = await verifyDataset(ctx, dataset, () => {})
      all.compared += records
      all.differences.push(...differences)
    }
    return all
  })
}

/** Acts for the user of an API key, which must be valid. */
export async function actWithKey(ctx: Context, apiKey: string): Promise<RequestContext> {
  const actor = await findActorByApiKeyHash(ctx.db, ctx.apiKeys.hash(apiKey))
  if (actor === null) throw new Error('The API key is not valid')
  return { ...ctx, actor, requestId: 'test', sender: TEST_SENDER }
}

/** Reads of a dataset, from a running server or from a copy of its folder. */
export interface Reads {
  /** All records, as the user sees them. */
  list(include: string[]): Promise<DatasetRecord[]>
  countFound(word: string): Promise<number>
  /** Number of the user's submitted responses, according to a search and to the metrics. */
  countSubmitted(apiKey: string): Promise<number[]>
}

const PAGE = 1_000

async function listAll(readPage: (offset: number) => Promise<{ items: DatasetRecord[] }>): Promise<DatasetRecord[]> {
  const records: DatasetRecord[] = []
  for (;;) {
    const { items } = await readPage(records.length)
    records.push(...items)
    if (items.length < PAGE) return records
  }
}

const toQuery = (word: string) => ({ query: { text: { q: word } } })

export function readsOfServer({ url, apiKey }: { url: string; apiKey: string }, datasetId: string): Reads {
  const path = `/datasets/${datasetId}/records`
  const owner = caller(url, apiKey)
  const total = async (by: Caller, request: string, body: object) => (await by.done<{ total: number }>(request, body)).total
  return {
    list: include => {
      const included = include.map(part => `&include=${part}`).join('')
      return listAll(offset => owner.done(`GET ${path}?limit=${PAGE}&offset=${offset}${included}`))
    },
    countFound: word => total(owner, `POST ${path}/search?limit=1`, toQuery(word)),
    countSubmitted: async key => {
      const me = caller(url, key)
      const { responses } = await me.done<DatasetMetrics>(`GET /me/datasets/${datasetId}/metrics`)
      return [await total(me, `POST /me${path}/search?response_status=submitted&limit=1`, {}), responses.submitted]
    },
  }
}

export function readsOfCopy(ctx: Context, apiKey: string, datasetId: string): Reads {
  const parse = async <T>(answer: ReturnType<typeof listRecords>): Promise<T> => JSON.parse((await answer).text)
  const total = async (answer: ReturnType<typeof searchRecords>) => (await parse<{ total: number }>(answer)).total
  return {
    list: async include => {
      const owner = await actWithKey(ctx, apiKey)
      return listAll(offset => parse(listRecords(owner, 'all', datasetId, { limit: PAGE, offset, include })))
    },
    countFound: async word => total(searchRecords(await actWithKey(ctx, apiKey), 'all', datasetId, toQuery(word), { limit: 1 })),
    countSubmitted: async key => {
      const me = await actWithKey(ctx, key)
      const { responses } = await getMyDatasetMetrics(me, datasetId)
      const query = { limit: 1, response_status: ['submitted' as const] }
      return [await total(searchRecords(me, 'mine', datasetId, {}, query)), responses.submitted]
    },
  }
}
