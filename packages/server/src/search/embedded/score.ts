/**
 * Pages in the order of relevance.
 *
 * The score of a word in a field is `2.2 · idf · tf / (tf + 1.2 · (0.25 + 0.75 · length / average length))` with
 * `idf = ln(1 + (N - n + 0.5) / (n + 0.5))`. FTS5's `bm25` computes the same but for the idf, which there is
 * `ln((N - n + 0.5) / (n + 0.5))` and almost 0 for words in more than half of the records; so its share of each word is scaled
 * by the quotient of the two. Two deviations are accepted. FTS5 takes the texts of all fields as one, so that datasets with
 * several text fields get slightly other scores; and N counts all records, also those without the field.
 *
 * Equal scores come in the order of the numbers, which is that of insertion.
 */
import type { SearchHit } from '../engine.ts'
import type { ScoredPhrase } from './leaves.ts'
import type { Page } from './order.ts'
import { countRows, fromMatches, type Plan } from './plan.ts'
import { joinParts, raw, type SqlPart, sql } from './sql-part.ts'
import type { TextCondition } from './text.ts'
import { textTableOf } from './text-index.ts'

/** Beyond these the shares of single words are not worked out: FTS5's own score is taken as it is. */
const SCORED_PHRASES_MAX = 12
const SCORED_HITS_MAX = 10_000

/** True when all matches score alike, so that there is no order of relevance. */
export function isUnscored({ phrases }: TextCondition): boolean {
  return phrases.length === 0 || (phrases.length === 1 && phrases[0]?.constant === true)
}

export async function listByRelevance(plan: Plan, text: TextCondition, page: Page, total: number): Promise<SearchHit[]> {
  const { expression, phrases } = text
  if (expression === null) return listBesides(plan, text, page)
  const [only] = phrases
  if (phrases.length === 1 && only !== undefined && only.expression === expression) {
    // Where nothing else is asked, all that hold the word are what was found.
    const quotient = plan.conditions.length === 1 ? toIdfQuotient(plan, total) : await idfQuotient(plan, only)
    return listRanked(plan, expression, page, only.factor * quotient)
  }
  if (phrases.length > SCORED_PHRASES_MAX || total > SCORED_HITS_MAX) return listRanked(plan, expression, page, 1)
  return listScored(plan, text, expression, page)
}

/** FTS5 gathers, scores and sorts; only the page leaves SQLite. */
async function listRanked(plan: Plan, expression: string, page: Page, factor: number): Promise<SearchHit[]> {
  const { text, params } = sql`${selectScores(plan, expression)} order by score, no limit ${page.limit} offset ${page.offset}`
  const rows = await plan.db.sql.all<{ no: number; score: number }>(text, params)
  return rows.map(({ no, score }) => ({ recordNo: no, score: -score * factor }))
}

/** Numbers and `bm25`, which is the lower the better. Another condition that is smaller than the text is put before it. */
function selectScores(plan: Plan, expression: string): SqlPart {
  const table = raw(textTableOf(plan.dataset.id))
  const { text, driver } = plan
  const few = driver === null || driver === text ? [] : [sql`+rowid in (${driver.set ?? raw('')})`]
  const conditions = plan.conditions.filter(condition => condition !== text && condition !== driver)
  const others = conditions.map(condition => condition.holds(raw(`${table.text}.rowid`)))
  return sql`select rowid as no, bm25(${table}) as score from ${table} where ${joinParts(
    [sql`${table} match ${expression}`, ...few, ...others],
    'and',
  )}`
}

/**
 * Adds up the shares of all words. `bm25` sums over the words of an expression, so a word's share is what the score grows by
 * when that word is asked for twice. The last word's is what the others leave.
 */
async function listScored(plan: Plan, text: TextCondition, expression: string, page: Page): Promise<SearchHit[]> {
  const once = await loadScores(plan, expression)
  const scores = new Map(Array.from(once.keys(), no => [no, 0]))
  const rest = new Map(once)
  for (const phrase of text.phrases) {
    const isLast = text.isSum && !phrase.constant && phrase === text.phrases.at(-1)
    const shares = isLast ? rest : await loadShares(plan, `(${expression}) AND ${phrase.expression}`, once)
    const quotient = phrase.constant ? 0 : phrase.factor * (await idfQuotient(plan, phrase))
    for (const [no, share] of shares) {
      scores.set(no, (scores.get(no) ?? 0) + (phrase.constant ? 1 : quotient * share))
      rest.set(no, (rest.get(no) ?? 0) - share)
    }
  }
  const hits = Array.from(scores, ([recordNo, score]) => ({ recordNo, score }))
  hits.sort((a, b) => b.score - a.score || a.recordNo - b.recordNo)
  return hits.slice(page.offset, page.offset + page.limit)
}

async function loadShares(plan: Plan, expression: string, once: ReadonlyMap<number, number>): Promise<Map<number, number>> {
  const twice = await loadScores(plan, expression)
  return new Map(Array.from(twice, ([no, score]) => [no, score - (once.get(no) ?? 0)]))
}

async function loadScores(plan: Plan, expression: string): Promise<Map<number, number>> {
  const { text, params } = selectScores(plan, expression)
  const rows = await plan.db.sql.all<{ no: number; score: number }>(text, params)
  return new Map(rows.map(({ no, score }) => [no, -score]))
}

/** Matches that no expression finds alone: 1 for what a record lacks, and the plain score for what it has. */
async function listBesides(plan: Plan, { phrases, negated }: TextCondition, page: Page): Promise<SearchHit[]> {
  const table = raw(textTableOf(plan.dataset.id))
  const expression = phrases.map(phrase => phrase.expression).join(' OR ')
  // Kept as a table, or SQLite would ask the index once for each match.
  const scores = sql`with s as materialized (select rowid as no, bm25(${table}) as score from ${table} where ${table} match ${expression})`
  const { text, params } = sql`${scores} select m.no as no, coalesce(s.score, 0) as score
    from (select d.no as no ${fromMatches(plan)}) m left join s on s.no = m.no
    order by 2, 1 limit ${page.limit} offset ${page.offset}`
  const [only] = phrases
  const factor = only !== undefined && phrases.length === 1 ? only.factor * (await idfQuotient(plan, only)) : 1
  const rows = await plan.db.sql.all<{ no: number; score: number }>(text, params)
  return rows.map(({ no, score }) => ({ recordNo: no, score: (negated ? 1 : 0) - factor * score }))
}

async function idfQuotient(plan: Plan, { expression }: ScoredPhrase): Promise<number> {
  const table = raw(textTableOf(plan.dataset.id))
  return toIdfQuotient(
    plan,
    await countRows(plan.db, sql`select count(*) as size from ${table} where ${table} match ${expression}`),
  )
}

/** Our idf of a word that so many records hold, by that of FTS5. */
function toIdfQuotient({ dataset }: Plan, holding: number): number {
  const records = Math.max(holding, dataset.records_count)
  const ours = Math.log(1 + (records - holding + 0.5) / (holding + 0.5))
  // FTS5 never goes below this.
  const theirs = Math.max(1e-6, Math.log((records - holding + 0.5) / (holding + 0.5)))
  return ours / theirs
}
