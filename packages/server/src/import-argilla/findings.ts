/** Collects problems of source rows: the first ones are listed, the others are counted. */
import { RowProblem } from './columns.ts'
import type { SourceRow } from './source.ts'

const NAMED_MAX = 20

export interface Findings {
  add(text: string): void
  count(): number
  /** One line for each, and one with the number of further ones. */
  lines(): string[]
}

function newFindings(): Findings {
  let count = 0
  const named: string[] = []
  return {
    add: text => {
      count++
      if (named.length < NAMED_MAX) named.push(text)
    },
    count: () => count,
    lines: () => (count === named.length ? named : [...named, `and ${count - named.length} more`]),
  }
}

export interface ImportProblems {
  /** Rows that cannot be stored. */
  leftOut: Findings
  /** Number of these rows by table. */
  leftOutOf: Map<string, number>
  /** Rows that are stored although they violate one of our rules. */
  notes: Findings
}

export const newImportProblems = (): ImportProblems => ({ leftOut: newFindings(), leftOutOf: new Map(), notes: newFindings() })

/** Returns the rows that can be imported; the others are recorded with their table and id. */
export function takeRows<T>(
  { leftOut, leftOutOf }: ImportProblems,
  table: string,
  rows: readonly SourceRow[],
  take: (row: SourceRow) => T,
): T[] {
  return rows.flatMap(row => {
    try {
      return [take(row)]
    } catch (error) {
      if (!(error instanceof RowProblem)) throw error
      leftOut.add(`${table} ${row.id ?? ''}: ${error.message}`)
      leftOutOf.set(table, (leftOutOf.get(table) ?? 0) + 1)
      return []
    }
  })
}
