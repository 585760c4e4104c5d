import { allow } from '@postil/domain/errors'
import { canReadAllResponses, canReadDataset, canReadRecord } from '@postil/domain/permissions'
import type { Question } from '@postil/domain/questions'
import { compareText } from '@postil/domain/search/compare-text'
import type { CountedTarget, TargetCount } from '@postil/domain/search/counts'
import type { RequestContext } from '../../context.ts'
import { JsonText } from '../../lib/answer.ts'
import { loadDatasetSettings, toSearchedDataset } from '../datasets/settings.ts'
import { loadDatasetOf } from '../datasets/store.ts'
import { askEngine, createDatasetRead } from './ask-engine.ts'
import { showRecords } from './show.ts'
import { loadRecord } from './store.ts'

/** Returns one record with its relations. Annotators see only their own response and visible metadata. */
export function getRecord(ctx: RequestContext, recordId: string): Promise<JsonText> {
  return ctx.db.snapshot(async db => {
    const row = await loadRecord(db, recordId)
    const dataset = await loadDatasetOf(db, row)
    allow(canReadRecord(ctx.actor, dataset))
    const settings = await loadDatasetSettings(db, dataset)
    const viewer = canReadAllResponses(ctx.actor, dataset) ? null : ctx.actor
    const [text] = await showRecords(db, [row], {
      dataset,
      settings,
      viewer,
      include: { responses: true, suggestions: true, vectors: true },
    })
    return new JsonText(text as string)
  })
}

/** If there are more agents, the most frequent ones are listed. */
const AGENTS_MAX = 16_384

/** Lists the agents that suggested answers, by question. */
export function listSuggestionOptions(ctx: RequestContext, datasetId: string) {
  return askEngine(ctx, createDatasetRead(ctx.db, datasetId), async ({ db, dataset }) => {
    allow(canReadDataset(ctx.actor, dataset))
    const settings = await loadDatasetSettings(db, dataset)
    const targets = settings.questions.map(toAgentsTarget)
    const query = { text: null, filters: [], userId: ctx.actor.id, queue: null, queues: [], targets }
    return async () => {
      const counts = await ctx.search.count(toSearchedDataset(dataset, settings), query)
      const items = settings.questions.map(({ id, name }, i) => ({ question: { id, name }, agents: toAgents(counts.targets[i]) }))
      return { items }
    }
  })
}

const toAgentsTarget = ({ id, name }: Question): CountedTarget => ({
  target: { kind: 'suggestion', questionId: id, questionName: name, property: 'agent', as: 'keyword' },
  as: 'values',
  filters: [],
  valuesMax: AGENTS_MAX,
})

function toAgents(count: TargetCount | undefined): string[] {
  if (count === undefined || !('values' in count)) throw new Error('the search engine did not count the agents')
  return count.values.map(({ value }) => value).sort(compareText)
}
