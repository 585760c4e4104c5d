import type { MetricOptions } from '@postil/domain/legacy/counts'
import { closedDataset, entityNotFound } from '@postil/domain/legacy/errors'
import { toDocument } from '@postil/domain/legacy/fields'
import { choosesAll, type RecordQuery, toFilter } from '@postil/domain/legacy/filter'
import { metricsOf } from '@postil/domain/legacy/metrics'
import { TASK_RULES } from '@postil/domain/legacy/rules-of'
import type { Json } from '@postil/domain/schema'
import type { RequestContext } from '../context.ts'
import { type DatasetRef, loadDataset } from './datasets-store.ts'
import { findRecords, visitFound } from './find.ts'
import { visitRecords } from './records-store.ts'

export async function listLegacyMetrics(ctx: RequestContext, place: DatasetRef) {
  const { task } = await loadDataset(ctx, ctx.db, place)
  return metricsOf(task).map(({ id, name, description }) => ({ id, name, description }))
}

interface Summary {
  metric: string
  query: RecordQuery
  options: MetricOptions
}

export function summarizeLegacyMetric(
  ctx: RequestContext,
  place: DatasetRef,
  { metric, query, options }: Summary,
): Promise<Json> {
  return ctx.db.snapshot(async db => {
    const dataset = await loadDataset(ctx, db, place)
    if (dataset.is_closed) throw closedDataset(dataset.name)
    const found = metricsOf(dataset.task).find(({ id }) => id === metric)
    if (!found) throw entityNotFound('ServiceBaseMetric', metric)
    const counter = found.createCounter()
    const filter = toFilter(query)
    if (found.isLight) await findRecords(ctx, db, dataset, { filter, onMatch: counter.add })
    else if (choosesAll(filter))
      await visitRecords(db, dataset.no, ({ record }) => counter.add(toDocument(record, TASK_RULES[dataset.task])))
    else await visitFound(db, dataset, await findRecords(ctx, db, dataset, { filter }), counter.add)
    return counter.result(options)
  })
}
