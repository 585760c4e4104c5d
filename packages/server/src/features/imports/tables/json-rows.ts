/** Shared by the JSON formats: objects as rows. */
import { ShapeError } from '@postil/domain/errors'
import { COLUMNS_MAX } from '@postil/domain/imports'
import type { Json } from '@postil/domain/schema'
import { parseJson } from '../../../http/json.ts'
import { toShown } from './bytes.ts'
import { withExactIntegers } from './json-integers.ts'
import { HEAD_BYTES, refuse, type TableRow, toColumns, type Values } from './table.ts'

const SAMPLE_ROWS_MAX = 1_000

type Place = Pick<TableRow, 'no' | 'end'>

export function toJsonRow(bytes: Uint8Array, place: Place): TableRow {
  const broken = (reason: string): TableRow => ({
    ...place,
    values: null,
    problem: { column: null, value: toShown(bytes), reason },
  })
  try {
    const value = parseJson(withExactIntegers(bytes)) as Json
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return broken('The row is not an object')
    return { ...place, values: withoutPrototype(value), problem: null }
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error
    const [problem] = error.problems
    // Removes `body` from the path, because there is no request body here.
    const at = problem?.loc.slice(1).join('.') ?? ''
    return broken(`The row is not valid JSON${at === '' ? '' : ` at ${at}`}: ${problem?.msg ?? error.message}`)
  }
}

function withoutPrototype(value: { [key: string]: Json }): Values {
  const values: { [key: string]: Json } = Object.create(null)
  for (const key of Object.keys(value)) values[key] = value[key] as Json
  return values
}

/** Returns the keys of the first rows in order of appearance. */
export async function collectColumns(rows: AsyncGenerator<TableRow>): Promise<{ columns: string[]; problems: string[] }> {
  const keys = new Set<string>()
  let looked = 0
  let problem: string | null = null
  for await (const row of rows) {
    for (const key of Object.keys(row.values ?? {})) keys.add(key)
    if (keys.size > COLUMNS_MAX) throw refuse(`The rows have more than ${COLUMNS_MAX} different keys`)
    if (row.values === null) problem ??= row.problem.reason
    looked++
    if (looked === SAMPLE_ROWS_MAX || row.end.byte > 8 * HEAD_BYTES) break
  }
  if (looked === 0) throw refuse('The file has no rows')
  if (keys.size === 0) throw refuse(`None of the first ${looked} rows can be read. Of the first: ${problem}`)
  const problems: string[] = []
  return { columns: toColumns([...keys].filter(isColumn), problems), problems }
}

/** Other keys cannot be used as names in a mapping. */
const isColumn = (key: string) => key.trim() === key && key !== ''
