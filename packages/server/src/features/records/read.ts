import { allow } from '@postil/domain/errors'
import { canReadAllResponses, canReadDataset, canReadRecord } from '@postil/domain/permissions'
import type { RequestContext } from '../../context.ts'
import { JsonText } from '../../lib/answer.ts'
import { loadDatasetSettings } from '../datasets/settings.ts'
import { loadDataset, loadDatasetOf } from '../datasets/store.ts'
import { listAgents } from '../suggestions/store.ts'
import { showRecords } from './show.ts'
import { loadRecord } from './store.ts'

/** One record with all it holds; annotators see their own response and visible metadata only. */
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

/** Who suggested answers, question by question. */
export function listSuggestionOptions(ctx: RequestContext, datasetId: string) {
  return ctx.db.snapshot(async db => {
    const dataset = await loadDataset(db, datasetId)
    allow(canReadDataset(ctx.actor, dataset))
    const { questions } = await loadDatasetSettings(db, dataset)
    const items = []
    // Questions are few; each answers from its own stretch of an index.
    for (const { id, name, no } of questions) items.push({ question: { id, name }, agents: await listAgents(db, no) })
    return { items }
  })
}
