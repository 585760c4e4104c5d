/** The words and phrases of a text query, each as an FTS5 expression. */
import type { TextQueryLeaf } from '@postil/domain/search/text-query'
import type { Queryable } from '../../storage/database.ts'
import type { SearchedDataset } from '../engine.ts'
import { type Expansion, expandFuzzy, type FuzzyLeaf } from './fuzzy.ts'
import { countPlaces, listWithPhrase, PLACES_MAX, type SloppyLeaf, toNear } from './slop.ts'

/** What adds to a record's score. */
export interface ScoredPhrase {
  expression: string
  /** A prefix counts 1, whatever the frequencies. */
  constant: boolean
  factor: number
}

/** A leaf, with what only the index can tell worked out. */
export interface LeafForm {
  expression: string
  /** True when the expression names each phrase once, so that its score is the sum of theirs. */
  isSum: boolean
  phrases: ScoredPhrase[]
  /** The records it finds, when the expression alone finds too many. */
  recordNos: number[] | null
}

/** Where a query looks. */
interface Searched {
  columns: number[]
  /** The one column asked for; null for all. */
  column: number | null
  within(expression: string): string
}

/** Forms by leaf. Leaves without one are found nowhere. */
export async function toForms(
  db: Queryable,
  dataset: SearchedDataset,
  leaves: readonly TextQueryLeaf[],
  field: string | null,
): Promise<Map<TextQueryLeaf, LeafForm>> {
  const forms = new Map<TextQueryLeaf, LeafForm>()
  const column = field === null ? null : dataset.textFields.indexOf(field)
  // A field that holds no text, such as an image, is searched in vain.
  if (column === -1) return forms
  const searched: Searched = {
    columns: column === null ? dataset.textFields.map((_, i) => i) : [column],
    column,
    within: expression => (column === null ? expression : `{f${column}} : ${expression}`),
  }
  const fuzzy = leaves.filter(leaf => leaf.kind === 'fuzzy')
  const sloppy = leaves.filter(leaf => leaf.kind === 'phrase').filter(isSloppy)
  if (fuzzy.length > 0) {
    const expansions = await expandFuzzy(db, dataset, fuzzy)
    for (const [leaf, near] of expansions) if (near.length > 0) forms.set(leaf, toFuzzyForm(leaf, near, searched))
  }
  let places = 0
  for (const leaf of sloppy) {
    places += await countPlaces(db, dataset, leaf)
    forms.set(leaf, await toSloppyForm(db, dataset, leaf, searched, places <= PLACES_MAX))
  }
  for (const leaf of leaves) {
    if (leaf.kind !== 'fuzzy' && !forms.has(leaf)) forms.set(leaf, toPlainForm(leaf, searched))
  }
  return forms
}

/** Joins without brackets around a single one. */
export function chain(expressions: readonly string[], operator: 'AND' | 'OR'): string {
  const [first = ''] = expressions
  return expressions.length < 2 ? first : `(${expressions.join(` ${operator} `)})`
}

const isSloppy = (leaf: SloppyLeaf) => leaf.slop > 0 && leaf.tokens.length > 1

async function toSloppyForm(
  db: Queryable,
  dataset: SearchedDataset,
  leaf: SloppyLeaf,
  { within, column }: Searched,
  isChecked: boolean,
): Promise<LeafForm> {
  const expression = within(toNear(leaf))
  const recordNos = isChecked ? await listWithPhrase(db, dataset, leaf, { expression, column }) : null
  return { expression, isSum: true, phrases: [{ expression, constant: false, factor: 1 }], recordNos }
}

function toFuzzyForm(leaf: FuzzyLeaf, expansions: readonly Expansion[], { within }: Searched): LeafForm {
  const phrases = expansions.map(({ token, distance }) => {
    const shorter = Math.min([...token].length, [...leaf.token].length)
    return { expression: within(`"${token}"`), constant: false, factor: Math.max(0, 1 - distance / shorter) }
  })
  const expressions = phrases.map(phrase => phrase.expression)
  return { expression: chain(expressions, 'OR'), isSum: true, phrases, recordNos: null }
}

function toPlainForm(leaf: Exclude<TextQueryLeaf, FuzzyLeaf>, { columns, within }: Searched): LeafForm {
  const expressions = toExpressions(leaf)
  const phrases = expressions.map(text => ({ expression: within(text), constant: leaf.kind === 'prefix', factor: 1 }))
  const all = chain(expressions, 'AND')
  // The tokens of one word stand in one field; a single token does anyway.
  const isAnywhere = expressions.length === 1 || columns.length === 1
  const inColumns = columns.map(column => `{f${column}} : ${all}`)
  return { expression: isAnywhere ? within(all) : chain(inColumns, 'OR'), isSum: isAnywhere, phrases, recordNos: null }
}

function toExpressions(leaf: Exclude<TextQueryLeaf, FuzzyLeaf>): string[] {
  switch (leaf.kind) {
    case 'word':
      return leaf.runs.map(run => `"${run.join(' ')}"`)
    case 'phrase':
      return [`"${leaf.tokens.join(' ')}"`]
    case 'prefix':
      return [`"${leaf.start}" *`]
  }
}
