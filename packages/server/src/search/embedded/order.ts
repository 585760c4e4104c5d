/**
 * Pages of sorted matches.
 *
 * There are two ways. Few matches are gathered and sorted by their keys. Where many match, an index that is in the wanted order
 * is walked instead, asking of each record whether it matches, until the page is full. Records without the first key come
 * last in both directions, so a walk has two phases.
 */
import type { Order, Sort } from '@postil/domain/search/query'
import { SHUFFLE_SIZE, userShuffle } from '../shuffle.ts'
import type { TargetNumbers } from './conditions.ts'
import { asked, countRows, fromMatches, type Plan, statusOf } from './plan.ts'
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

/** The numbers of a page of matches in the order of `sort`; ties are in the order of the ids. */
export async function listSorted(plan: Plan, sort: readonly Sort[], page: Page, total: number): Promise<number[]> {
  const [first, ...others] = sort
  if (first?.target.kind === 'record' && first.target.property === 'inserted_at' && others.length === 0) {
    return listByTime(plan, first.order, page, total)
  }
  const phases = first !== undefined && isWalkCheaper(plan, total, page) ? walkBy(plan, first, others) : null
  return (await listPhases<{ no: number }>(plan, phases ?? [sortAll(plan, sort)], page)).map(row => row.no)
}

function sortAll(plan: Plan, sort: readonly Sort[]): Phase {
  const keys = sort.map(entry => sql`${keyOf(entry, raw('d.no'), plan.targets)} ${raw(`${entry.order} nulls last`)}`)
  return {
    select: raw('d.no as no'),
    from: fromMatches(plan, raw('cross join records r on r.no = d.no')),
    order: list([...keys, raw('r.id')]),
  }
}

/** From whichever end is nearer: the last page costs as little as the first. */
async function listByTime(plan: Plan, order: Order, page: Page, total: number): Promise<number[]> {
  const limit = Math.min(page.limit, total - page.offset)
  const fromEnd = total - page.offset - limit
  const backwards = fromEnd < page.offset
  const time = (order === 'desc') !== backwards ? 'desc' : 'asc'
  const reach = { offset: backwards ? fromEnd : page.offset, limit }
  const walked: Phase = {
    select: raw('r.no as no'),
    from: sql`from records r indexed by records_by_time where ${matchesOfRecords(plan)}`,
    order: raw(`r.inserted_at ${time}, r.id ${backwards ? 'desc' : 'asc'}`),
  }
  const sorted = { ...walked, select: raw('d.no as no'), from: fromMatches(plan, raw('cross join records r on r.no = d.no')) }
  const isAll = plan.conditions.length === 0
  const phase = isAll || isWalkCheaper(plan, total, reach) ? walked : sorted
  const nos = (await listPhases<{ no: number }>(plan, [phase], reach)).map(row => row.no)
  return backwards ? nos.reverse() : nos
}

/** What is asked of records on the alias `r`: their own columns are at hand and need no question. */
function matchesOfRecords(plan: Plan): SqlPart {
  return joinParts(
    [sql`r.dataset_id = ${plan.dataset.id}`, ...plan.recordParts, asked(plan, raw('+r.no'), plan.recordCondition)],
    'and',
  )
}

/** An index in the order of the first key, and then the records without that key; null when there is no such index. */
function walkBy(plan: Plan, first: Sort, others: readonly Sort[]): Phase[] | null {
  const walk = walkOf(first, plan.targets)
  if (walk === null) return null
  const restOf = (no: SqlPart) => [
    ...others.map(entry => sql`${keyOf(entry, no, plan.targets)} ${raw(`${entry.order} nulls last`)}`),
    raw('r.id'),
  ]
  const present: Phase = {
    select: sql`${walk.no} as no`,
    from: sql`from ${walk.table} where ${walk.where} and ${walk.isRecords ? matchesOfRecords(plan) : asked(plan, walk.no)}`,
    order: list([sql`${walk.key} ${raw(first.order)}`, ...restOf(walk.no)]),
  }
  const lacking = sql`${keyOf(first, raw('d.no'), plan.targets)} is null`
  const absent: Phase = {
    select: raw('d.no as no'),
    from: sql`${fromMatches(plan, raw('cross join records r on r.no = d.no'))} and ${lacking}`,
    order: list(restOf(raw('d.no'))),
  }
  return [present, absent]
}

interface Walk {
  table: SqlPart
  where: SqlPart
  key: SqlPart
  no: SqlPart
  isRecords: boolean
}

function walkOf({ target, order }: Sort, { dataset, numbers }: TargetNumbers): Walk | null {
  const overValues = (table: string, owner: string, id: string, isSingle: boolean): Walk => {
    const where = sql`w.${raw(owner)} = ${numbers.get(id) ?? -1}`
    // Of a record with several values the first that is met counts.
    const earlier = sql`not exists (select 1 from ${raw(table)} y where y.record_no = w.record_no and y.${raw(owner)} = w.${raw(owner)}
      and y.value ${raw(order === 'asc' ? '<' : '>')} w.value)`
    return {
      table: sql`${raw(table)} w cross join records r on r.no = w.record_no`,
      where: isSingle ? where : sql`${where} and ${earlier}`,
      key: raw('w.value'),
      no: raw('w.record_no'),
      isRecords: false,
    }
  }
  if (target.kind === 'metadata') {
    const isNumber = target.as === 'number'
    return overValues(isNumber ? 'metadata_numbers' : 'metadata_terms', 'property_no', target.propertyId, isNumber)
  }
  if (target.kind === 'suggestion' && target.property === 'value' && target.as === 'keyword') {
    return overValues('suggestion_terms', 'question_no', target.questionId, false)
  }
  if (target.kind === 'record' && target.property === 'external_id') {
    const where = sql`r.dataset_id = ${dataset.id} and r.external_id is not null`
    return { table: raw('records r'), where, key: raw('r.external_id'), no: raw('r.no'), isRecords: true }
  }
  return null
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
      const questionNo = numbers.get(target.questionId) ?? -1
      const isValue = target.property === 'value'
      const values = target.as === 'number' ? sql`${extreme}(cast(x.value as integer))` : sql`${extreme}(x.value)`
      const column = target.property === 'score' ? sql`x.score_${extreme}` : raw(`x.${target.property}`)
      return sql`(select ${isValue ? values : column} from ${raw(isValue ? 'suggestion_terms' : 'suggestions')} x
        where x.record_no = ${no} and x.question_no = ${questionNo})`
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

/** A page of a user's shuffle: the ring of records, entered at the user's place (shuffle.ts). */
export async function listShuffled(
  plan: Plan,
  userId: string,
  page: Page,
  total: number,
): Promise<{ recordNo: number; score: number }[]> {
  const start = userShuffle(userId)
  const key = sql`((r.shuffle - ${start}) & ${SHUFFLE_SIZE - 1})`
  const select = sql`r.no as no, ${key} as place`
  const status = plan.query.filters.map(statusOf).find(status => status !== null) ?? null
  const walk = (side: SqlPart): Phase => ({
    select,
    from: sql`from records r where r.status = ${status} and r.shuffle ${side} ${start} and ${matchesOfRecords(plan)}`,
    order: raw('r.shuffle, r.no'),
  })
  // The index holds one ring for each status, so a walk needs to know which.
  const isWalked = status !== null && isWalkCheaper(plan, total, page)
  const sorted: Phase = {
    select,
    from: fromMatches(plan, raw('cross join records r on r.no = d.no')),
    order: list([key, raw('r.no')]),
  }
  const phases = isWalked ? [walk(raw('>=')), walk(raw('<'))] : [sorted]
  const rows = await listPhases<{ no: number; place: number }>(plan, phases, page)
  return rows.map(({ no, place }) => ({ recordNo: no, score: 1 - place / SHUFFLE_SIZE }))
}
