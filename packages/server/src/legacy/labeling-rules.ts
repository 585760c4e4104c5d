/** Labelling rules of text classification datasets. */
import { badRequest, entityExists, entityNotFound } from '@postil/domain/legacy/errors'
import { ALL_RECORDS } from '@postil/domain/legacy/filter'
import type { Rule, RuleCreate, RuleUpdate } from '@postil/domain/legacy/labeling-rules'
import { toRuleParts } from '@postil/domain/legacy/labeling-rules'
import { parseQueryText } from '@postil/domain/legacy/query-text'
import type { Json } from '@postil/domain/schema'
import type { RequestContext } from '../context.ts'
import { write } from '../storage/write.ts'
import { type DatasetRef, loadDataset, updateDataset } from './datasets-store.ts'
import { findRecords } from './find.ts'

/** All rules of a dataset are stored in one row and evaluated together. */
const RULES_MAX = 1_000
const toPlace = ({ workspace, name }: DatasetRef): DatasetRef => ({ workspace, name, task: 'TextClassification' })

export const listLegacyRules = async (ctx: RequestContext, place: DatasetRef): Promise<Rule[]> =>
  (await loadDataset(ctx, ctx.db, toPlace(place))).rules

export async function getLegacyRule(ctx: RequestContext, place: DatasetRef, query: string): Promise<Rule> {
  return findRule(await listLegacyRules(ctx, place), query)
}

function findRule(rules: readonly Rule[], query: string): Rule {
  const found = rules.find(rule => rule.query === query.trim())
  if (!found) throw entityNotFound('ServiceLabelingRule', query)
  return found
}

export function createLegacyRule(ctx: RequestContext, place: DatasetRef, given: RuleCreate): Promise<Rule> {
  return changeRules(ctx, place, rules => {
    if (rules.some(({ query }) => query === given.query)) throw entityExists('ServiceLabelingRule', given.query)
    if (rules.length >= RULES_MAX) throw badRequest(`A dataset may have ${RULES_MAX} labelling rules`)
    parseQueryText(given.query)
    const rule = { query: given.query, ...toRuleParts(given), author: ctx.actor.username, created_at: ctx.now() }
    return { rules: [...rules, rule], answer: rule }
  })
}

export function updateLegacyRule(ctx: RequestContext, place: DatasetRef, query: string, given: RuleUpdate): Promise<Rule> {
  return changeRules(ctx, place, rules => {
    const { label: _label, ...stored } = findRule(rules, query)
    const rule = { ...stored, ...toRuleParts(given) }
    return { rules: rules.map(other => (other.query === stored.query ? rule : other)), answer: rule }
  })
}

export const deleteLegacyRule = (ctx: RequestContext, place: DatasetRef, query: string): Promise<null> =>
  changeRules(ctx, place, rules => ({ rules: rules.filter(rule => rule.query !== query.trim()), answer: null }))

function changeRules<T>(
  ctx: RequestContext,
  place: DatasetRef,
  change: (rules: Rule[]) => { rules: Rule[]; answer: T },
): Promise<T> {
  return write(ctx, async tx => {
    const dataset = await loadDataset(ctx, tx, toPlace(place), { lock: true })
    const { rules, answer } = change(dataset.rules)
    await updateDataset(tx, { ...dataset, rules })
    return answer
  })
}

interface Tally {
  total: number
  annotated: number
  matched: number
  matchedAnnotated: number
  /** Number of matching, annotated records by annotated label. */
  correct: Map<string, number>
}

async function tally(
  ctx: RequestContext,
  place: DatasetRef,
  queriesOf: (rules: Rule[]) => { queries: string[]; labels: string[] },
) {
  return ctx.db.snapshot(async db => {
    const dataset = await loadDataset(ctx, db, toPlace(place))
    const { queries, labels } = queriesOf(dataset.rules)
    const node = { type: 'or' as const, nodes: queries.map(parseQueryText) }
    const sum: Tally = {
      total: 0,
      annotated: 0,
      matched: 0,
      matchedAnnotated: 0,
      correct: new Map(labels.map(label => [label, 0])),
    }
    await findRecords(ctx, db, dataset, {
      filter: ALL_RECORDS,
      onMatch: ({ record }) => {
        sum.total++
        if (record.annotation !== undefined) sum.annotated++
      },
    })
    await findRecords(ctx, db, dataset, {
      filter: { ...ALL_RECORDS, node },
      onMatch: ({ record, derived }) => {
        sum.matched++
        if (record.annotation === undefined) return
        sum.matchedAnnotated++
        for (const label of labels) {
          if (derived.annotated_as.includes(label)) sum.correct.set(label, (sum.correct.get(label) ?? 0) + 1)
        }
      },
    })
    return sum
  })
}

const toCoverage = ({ total, annotated, matched, matchedAnnotated }: Tally) => ({
  ...(total === 0 ? {} : { coverage: matched / total }),
  ...(annotated === 0 ? {} : { coverage_annotated: matchedAnnotated / annotated }),
  total_records: total,
  annotated_records: annotated,
})

/** Summarizes all rules together. */
export async function summarizeLegacyRules(ctx: RequestContext, place: DatasetRef): Promise<Json> {
  return toCoverage(await tally(ctx, place, rules => ({ queries: rules.map(({ query }) => query), labels: [] })))
}

/** The rule need not exist. Without labels, those of the stored rule are used; the client sends `None` for no label. */
export async function summarizeLegacyRule(
  ctx: RequestContext,
  place: DatasetRef,
  query: string,
  given: readonly string[],
): Promise<Json> {
  const asked = given.filter(label => label !== 'None')
  const sum = await tally(ctx, place, rules => ({
    queries: [query],
    labels: asked.length > 0 ? [...new Set(asked)] : (rules.find(rule => rule.query === query.trim())?.labels ?? []),
  }))
  const { annotated, matchedAnnotated, correct } = sum
  if (annotated === 0 || correct.size === 0) return toCoverage(sum)
  const rights = [...correct.values()]
  const right = rights.reduce((total, one) => total + one, 0)
  const precision = right / (matchedAnnotated * rights.length)
  return {
    ...toCoverage(sum),
    correct: right,
    incorrect: matchedAnnotated * rights.length - right,
    ...(matchedAnnotated === 0 ? {} : { precision }),
  }
}
