/**
 * A text query as an FTS5 expression.
 *
 * FTS5 knows AND, OR and a NOT that needs something to take away from. Every tree of ours is therefore either one expression,
 * or everything but what one expression finds: `fox | -dog` is everything but `dog NOT fox`. Only phrases whose places were
 * checked, and trees beyond FTS5's limits, are put together in SQL instead.
 */
import type { TextQuery, TextQueryLeaf } from '@postil/domain/search/text-query'
import type { Queryable } from '../../storage/database.ts'
import type { SearchedDataset } from '../engine.ts'
import type { Condition } from './conditions.ts'
import { chain, type LeafForm, type ScoredPhrase, toForms } from './leaves.ts'
import { joinParts, raw, type SqlPart, sql } from './sql-part.ts'
import { textTableOf } from './text-index.ts'

/** Found by an expression or, as complement, by everything but it; null expressions are found nowhere. */
type Found = { expression: string; complement: boolean } | { holds(no: SqlPart): SqlPart }

export interface TextCondition extends Condition {
  /** The expression that finds exactly these records; null when it takes more than that. */
  expression: string | null
  /** The expression that finds exactly all other records. */
  lacking: string | null
  /** True when the score of `expression` is the sum of the phrases' scores and nothing else. */
  isSum: boolean
  /** Of words that a record should have, not of those it must not. */
  phrases: ScoredPhrase[]
  /** True when some records match by what they lack. */
  negated: boolean
}

const NOTHING = { expression: '', complement: false }

export async function toTextCondition(
  db: Queryable,
  dataset: SearchedDataset,
  text: { tree: TextQuery; field: string | null },
): Promise<TextCondition> {
  const leaves: { leaf: TextQueryLeaf; positive: boolean }[] = []
  collectLeaves(text.tree, true, leaves)
  const all = leaves.map(({ leaf }) => leaf)
  const forms = await toForms(db, dataset, all, text.field)
  const table = textTableOf(dataset.id)
  let found = combine(text.tree, node => leafFound(forms.get(node) ?? null), table, true)
  if (leaves.length > 16 && 'expression' in found && !(await isTaken(db, table, found.expression))) {
    found = combine(text.tree, node => leafFound(forms.get(node) ?? null), table, false)
  }
  const phrases = leaves.flatMap(({ leaf, positive }) => (positive ? (forms.get(leaf)?.phrases ?? []) : []))
  const negated = leaves.some(({ positive }) => !positive)
  const isSum = !negated && all.every(leaf => forms.get(leaf)?.isSum !== false)
  return toCondition(found, table, { phrases, negated, isSum })
}

function toCondition(found: Found, table: string, scoring: Pick<TextCondition, 'phrases' | 'negated' | 'isSum'>): TextCondition {
  const native = 'expression' in found && found.expression !== '' ? found : null
  const expression = native === null || native.complement ? null : native.expression
  const lacking = native?.complement ? native.expression : null
  const matching = (text: string) => sql`select rowid as no from ${raw(table)} where ${raw(table)} match ${text}`
  const set = expression === null ? null : matching(expression)
  const unset = lacking === null ? null : matching(lacking)
  return { set, unset, isUnique: true, holds: holdsOf(found, table), expression, lacking, ...scoring }
}

function holdsOf(found: Found, table: string): (no: SqlPart) => SqlPart {
  if ('holds' in found) return found.holds
  const { expression, complement } = found
  if (expression === '') return () => raw(complement ? 'true' : 'false')
  const verb = raw(complement ? 'not in' : 'in')
  return no => sql`${no} ${verb} (select rowid from ${raw(table)} where ${raw(table)} match ${expression})`
}

function collectLeaves(tree: TextQuery, positive: boolean, leaves: { leaf: TextQueryLeaf; positive: boolean }[]): void {
  if (tree.kind === 'and' || tree.kind === 'or') for (const part of tree.parts) collectLeaves(part, positive, leaves)
  else if (tree.kind === 'not') collectLeaves(tree.part, !positive, leaves)
  else if (tree.kind !== 'all' && tree.kind !== 'none') leaves.push({ leaf: tree, positive })
}

/** FTS5 refuses very deep expressions; asking is the only sure way to know. */
async function isTaken(db: Queryable, table: string, expression: string): Promise<boolean> {
  try {
    await db.sql.get(`select rowid from ${table} where ${table} match ? limit 1`, [expression || '""'])
    return true
  } catch {
    return false
  }
}

function leafFound(form: LeafForm | null): Found {
  if (form === null) return NOTHING
  const { expression, recordNos } = form
  if (recordNos === null) return { expression, complement: false }
  return { holds: no => sql`${no} in (select value from json_each(${JSON.stringify(recordNos)}))` }
}

/** With `merge` expressions grow as large as they can; without, each leaf is asked for alone. */
function combine(tree: TextQuery, ofLeaf: (leaf: TextQueryLeaf) => Found, table: string, merge: boolean): Found {
  switch (tree.kind) {
    case 'all':
      return { expression: '', complement: true }
    case 'none':
      return NOTHING
    case 'not':
      return negate(combine(tree.part, ofLeaf, table, merge))
    case 'and':
      return join(
        tree.parts.map(part => combine(part, ofLeaf, table, merge)),
        table,
        merge,
      )
    case 'or':
      // Either of two is what is left when neither is taken away: one rule serves both.
      return negate(
        join(
          tree.parts.map(part => negate(combine(part, ofLeaf, table, merge))),
          table,
          merge,
        ),
      )
    default:
      return ofLeaf(tree)
  }
}

function negate(found: Found): Found {
  if ('expression' in found) return { expression: found.expression, complement: !found.complement }
  return { holds: no => sql`not ${found.holds(no)}` }
}

/** All of these. */
function join(parts: readonly Found[], table: string, merge: boolean): Found {
  const wanted: string[] = []
  const unwanted: string[] = []
  const others: ((no: SqlPart) => SqlPart)[] = []
  for (const part of parts) {
    if (!('expression' in part)) others.push(part.holds)
    else if (part.expression === '' && !part.complement) return NOTHING
    else if (part.expression === '') continue
    else if (merge) (part.complement ? unwanted : wanted).push(part.expression)
    else others.push(holdsOf(part, table))
  }
  const native = intersect(wanted, unwanted)
  if (others.length === 0) return native
  const holds = native.expression === '' ? others : [holdsOf(native, table), ...others]
  return {
    holds: no =>
      joinParts(
        holds.map(one => one(no)),
        'and',
      ),
  }
}

function intersect(wanted: string[], unwanted: string[]): { expression: string; complement: boolean } {
  if (wanted.length === 0) return { expression: chain(unwanted, 'OR'), complement: true }
  const all = chain(wanted, 'AND')
  return { expression: unwanted.length === 0 ? all : `(${all} NOT ${chain(unwanted, 'OR')})`, complement: false }
}
