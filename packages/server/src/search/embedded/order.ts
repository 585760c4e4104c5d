/**
 * Pages of sorted matches.
 *
 * There are two ways. Few matches are gathered and sorted by their keys. Where many match, an index that is in the wanted order
 * is walked instead, asking of each record whether it matches, until the page is full. Records without the first key come
 * last in both directions, so a walk has two phases.
 */
import type { Order, Sort, SuggestionProperty } from '@postil/domain/search/query'
import { placeAt, SHUFFLE_SIZE, userWalk } from '../shuffle.ts'
import type { TargetNumbers } from './conditions.ts'
import { asked, countRows, fromRecords, type Plan, statusOf } from './plan.ts'
import { joinParts, list, raw, type SqlPart, sql } from './sql-part.ts'

export interface Page {
  offset: number
  limit: number
}

/** Part of an order: its rows come before those of the next phase. */
interface Phase {
  select: SqlPart
  /** `from … where …` */
  from: SqlPart
  order: SqlPart
}

/** Rows of the page, from as many phases as it reaches. Only a phase that lies before the page is counted. */
async function listPhases<Row>({ db }: Plan, phases: readonly Phase[], page: Page): Promise<Row[]> {
  const rows: Row[] = []
  let { offset } = page
  for (const { select, from, order } of phases) {
    const limit = page.limit - rows.length
    const { text, params } = sql`select ${select} ${from} order by ${order} limit ${limit} offset ${offset}`
    const found = await db.sql.all<Row>(text, params)
    rows.push(...found)
    if (rows.length >= page.limit || phases.at(-1)?.from === from) break
    if (found.length > 0) offset = 0
    else if (offset > 0) offset = Math.max(0, offset - (await countRows(db, sql`select count(*) as size ${from}`)))
  }
  return rows
}

/** Walking costs the page's end divided by the share that matches; sorting costs what there is to sort. */
function isWalkCheaper({ dataset, driverSize }: Plan, total: number, { offset, limit }: Page): boolean {
  const walked = ((offset + limit) * dataset.records_count) / Math.max(1, total)
  return walked * 2 < Math.max(total, driverSize)
}

/** The numbers of a page of matches in the order of `sort`, ties in the order of the ids; without a sort as they came. */
export async function listSorted(plan: Plan, sort: readonly Sort[], page: Page, total: number): Promise<number[]> {
  const [first, ...others] = sort
  if (first === undefined) return listInSequence(plan, { index: 'records_by_number', keys: ['no'], order: 'asc' }, page, total)
  if (first.target.kind === 'record' && first.target.property === 'inserted_at' && others.length === 0) {
    const { order } = first
    return listInSequence(plan, { index: 'records_by_time', keys: ['inserted_at', 'id'], order }, page, total)
  }
  const walk = walkOf(first, plan.targets)
  // Without an index in this order all values are read, which is better than one look-up per match only if most match.
  const isWorth = walk?.isOrdered ? isWalkCheaper(plan, total, page) : total * 2 > plan.dataset.records_count
  const phases = walk !== null && isWorth ? walkBy(plan, walk, first, others) : [sortAll(plan, sort)]
  return (await listPhases<{ no: number }>(plan, phases, page)).map(row => row.no)
}

/** The same with the number of all matches, asked only once: for few matches. The page must not lie behind them. */
export async function listSortedFew(plan: Plan, sort: readonly Sort[], page: Page): Promise<{ nos: number[]; total: number }> {
  const phase = sortAll(plan, sort)
  const counted = { ...phase, select: sql`${phase.select}, count(*) over () as total` }
  const rows = await listPhases<{ no: number; total: number }>(plan, [counted], page)
  return { nos: rows.map(row => row.no), total: rows[0]?.total ?? 0 }
}

function sortAll(plan: Plan, sort: readonly Sort[]): Phase {
  const keys = sort.map(entry => sql`${keyOf(entry, raw('r.no'), plan.targets)} ${raw(`${entry.order} nulls last`)}`)
  // In the order of their numbers rows lie side by side.
  const from = fromRecords(plan, plan.conditions.length === 0 ? 'records_by_number' : null)
  return { select: raw('r.no as no'), from, order: list([...keys, raw('r.id')]) }
}

/** An order that no record lacks a key of, and that an index is in. */
interface Sequence {
  index: 'records_by_time' | 'records_by_number'
  keys: string[]
  /** Of the first key. */
  order: Order
}

/** From whichever end is nearer: the last page costs as little as the first. */
async function listInSequence(plan: Plan, { index, keys, order }: Sequence, page: Page, total: number): Promise<number[]> {
  const limit = Math.min(page.limit, total - page.offset)
  const fromEnd = total - page.offset - limit
  const backwards = fromEnd < page.offset
  const reach = { offset: backwards ? fromEnd : page.offset, limit }
  const direction = (i: number) => ((i === 0 && order === 'desc') !== backwards ? 'desc' : 'asc')
  const isWalked = plan.conditions.length === 0 || isWalkCheaper(plan, total, reach)
  const phase = {
    select: raw('r.no as no'),
    from: fromRecords(plan, isWalked ? index : null),
    order: raw(keys.map((key, i) => `r.${key} ${direction(i)}`).join(', ')),
  }
  const nos = (await listPhases<{ no: number }>(plan, [phase], reach)).map(row => row.no)
  return backwards ? nos.reverse() : nos
}

/** The values of the first key in their order, and then the records that have none. */
function walkBy(plan: Plan, walk: Walk, first: Sort, others: readonly Sort[]): Phase[] {
  const rest = [
    ...others.map(entry => sql`${keyOf(entry, raw('r.no'), plan.targets)} ${raw(`${entry.order} nulls last`)}`),
    raw('r.id'),
  ]
  const present: Phase = {
    select: raw('r.no as no'),
    from: walk.table === null ? sql`${fromRecords(plan)} and ${walk.where}` : fromWalk(plan, walk.table, walk.where),
    order: list([...walk.keys.map(key => sql`${key} ${raw(first.order)}`), ...rest]),
  }
  const lacking = sql`${keyOf(first, raw('r.no'), plan.targets)} is null`
  return [present, { select: raw('r.no as no'), from: sql`${fromRecords(plan)} and ${lacking}`, order: list(rest) }]
}

function fromWalk(plan: Plan, table: SqlPart, where: SqlPart): SqlPart {
  const questions = asked(plan, raw('w.record_no'), [plan.recordCondition])
  const own = joinParts(plan.recordParts, 'and')
  return sql`from ${table} w cross join records r on r.no = w.record_no where ${where} and ${questions} and ${own}`
}

interface Walk {
  /** On the alias `w`; null to walk the records themselves. */
  table: SqlPart | null
  where: SqlPart
  keys: SqlPart[]
  /** True when an index is in the order of the key. */
  isOrdered: boolean
}

function walkOf({ target, order }: Sort, { numbers }: TargetNumbers): Walk | null {
  const overValues = (name: string, owner: string, id: string, isSingle: boolean): Walk => {
    const table = raw(name)
    const where = sql`w.${raw(owner)} = ${numbers.get(id) ?? -1}`
    // Of a record with several values the first that is met counts.
    const earlier = sql`not exists (select 1 from ${table} y where y.record_no = w.record_no and y.${raw(owner)} = w.${raw(owner)}
      and y.value ${raw(order === 'asc' ? '<' : '>')} w.value)`
    return { table, where: isSingle ? where : sql`${where} and ${earlier}`, keys: [raw('w.value')], isOrdered: true }
  }
  if (target.kind === 'metadata') {
    const isNumber = target.as === 'number'
    const walk = overValues(isNumber ? 'metadata_numbers' : 'metadata_terms', 'property_no', target.propertyId, isNumber)
    // The index is in the order of buckets; within one the numbers are sorted.
    return isNumber ? { ...walk, keys: [raw('w.bucket'), raw('w.value')] } : walk
  }
  if (target.kind === 'suggestion') {
    if (target.property === 'value') {
      return target.as === 'number' ? null : overValues('suggestion_terms', 'question_no', target.questionId, false)
    }
    const key = raw(`w.${suggestionColumn(target.property, order)}`)
    const where = sql`w.question_no = ${numbers.get(target.questionId) ?? -1} and ${key} is not null`
    return { table: raw('suggestions'), where, keys: [key], isOrdered: target.property === 'agent' }
  }
  if (target.kind === 'record' && target.property === 'external_id') {
    return { table: null, where: raw('r.external_id is not null'), keys: [raw('r.external_id')], isOrdered: true }
  }
  return null
}

/** Of a list of scores the smallest or the largest counts. */
function suggestionColumn(property: Exclude<SuggestionProperty, 'value'>, order: Order): string {
  return property === 'score' ? (order === 'asc' ? 'score_min' : 'score_max') : property
}

/** What a record is sorted by, as SQL; null for records that have no such value. */
function keyOf({ target, order }: Sort, no: SqlPart, { numbers, userId }: TargetNumbers): SqlPart {
  const extreme = raw(order === 'asc' ? 'min' : 'max')
  const ofUser = userId === null ? raw('true') : sql`x.user_id = ${userId}`
  switch (target.kind) {
    case 'record':
      return raw(`r.${target.property}`)
    case 'metadata': {
      const table = raw(target.as === 'number' ? 'metadata_numbers' : 'metadata_terms')
      const propertyNo = numbers.get(target.propertyId) ?? -1
      return sql`(select ${extreme}(x.value) from ${table} x where x.record_no = ${no} and x.property_no = ${propertyNo})`
    }
    case 'suggestion': {
      const owner = sql`x.record_no = ${no} and x.question_no = ${numbers.get(target.questionId) ?? -1}`
      if (target.property !== 'value') {
        return sql`(select x.${raw(suggestionColumn(target.property, order))} from suggestions x where ${owner})`
      }
      const value = raw(target.as === 'number' ? 'cast(x.value as integer)' : 'x.value')
      return sql`(select ${extreme}(${value}) from suggestion_terms x where ${owner})`
    }
    case 'response': {
      const questionNo = numbers.get(target.questionId) ?? -1
      const value = target.as === 'number' ? raw('avg(cast(x.value as integer))') : sql`${extreme}(x.value)`
      return sql`(select ${value} from response_terms x where x.record_no = ${no} and x.question_no = ${questionNo} and ${ofUser})`
    }
    case 'response_status':
      return sql`(select ${extreme}(x.status) from responses x where x.record_no = ${no} and ${ofUser})`
  }
}

/** A page of a user's shuffle: the places in the order of the user's walk (shuffle.ts). */
export async function listShuffled(
  plan: Plan,
  userId: string,
  page: Page,
  total: number,
): Promise<{ recordNo: number; score: number }[]> {
  const walk = userWalk(userId)
  const met = sql`(((r.shuffle + ${SHUFFLE_SIZE - walk.start}) * ${walk.back}) & ${SHUFFLE_SIZE - 1})`
  const select = sql`r.no as no, ${met} as met`
  const byNumber = raw(walk.backwards ? 'r.no desc' : 'r.no')
  const status = plan.query.filters.map(statusOf).find(status => status !== null) ?? null
  const others = joinParts([...plan.recordParts, asked(plan, raw('+r.no'), [plan.recordCondition])], 'and')
  const atPlace = (place: number): Phase => ({
    select,
    from: sql`from records r where r.dataset_id = ${plan.dataset.id} and r.status = ${status} and r.shuffle = ${place} and ${others}`,
    order: byNumber,
  })
  // The index holds the places of one status, so a walk needs to know which.
  const isWalked = status !== null && isWalkCheaper(plan, total, page)
  const phases = isWalked
    ? Array.from({ length: SHUFFLE_SIZE }, (_, number) => atPlace(placeAt(walk, number)))
    : [{ select, from: fromRecords(plan), order: list([met, byNumber]) }]
  const rows = await listPhases<{ no: number; met: number }>(plan, phases, page)
  return rows.map(row => ({ recordNo: row.no, score: 1 - row.met / SHUFFLE_SIZE }))
}
