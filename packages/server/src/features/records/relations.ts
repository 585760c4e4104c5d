/** Reads the relations of a page of records, with one statement per kind. */
import type { Include } from '@postil/domain/search/include'
import type { Queryable } from '../../storage/database.ts'
import type { NumbersQuery } from '../../storage/record-pages.ts'
import type { DatasetSettings } from '../datasets/settings.ts'
import { listResponsesOf } from '../responses/store.ts'
import { listSuggestionsOf } from '../suggestions/store.ts'
import { listVectorsOf } from '../vectors/store.ts'
import type { Relations } from './record-json.ts'

interface RelationsQuery extends Include {
  /** Only this user's responses; null for all users. */
  userId: string | null
}

export async function listRelations(
  db: Queryable,
  settings: DatasetSettings,
  records: readonly { no: number }[] | NumbersQuery,
  query: RelationsQuery,
): Promise<(row: { no: number }) => Relations> {
  const nos = 'text' in records ? records : records.map(({ no }) => no)
  // The statements are sent together.
  const [responses, suggestions, vectors] = await Promise.all([
    query.responses ? listResponsesOf(db, nos, query.userId).then(groupByRecord) : undefined,
    query.suggestions ? listSuggestionsOf(db, nos).then(groupByRecord) : undefined,
    query.vectors === false ? undefined : listVectorsOf(db, nos, settingsNos(settings, query.vectors)).then(groupByRecord),
  ])
  return ({ no }) => ({
    responses: responses && (responses.get(no) ?? []),
    suggestions: suggestions && (suggestions.get(no) ?? []),
    vectors: vectors && (vectors.get(no) ?? []),
  })
}

/** Omits unknown names, and vectors whose settings were deleted but which still await removal. */
const settingsNos = (settings: DatasetSettings, names: true | readonly string[]) =>
  names === true ? [...settings.vectorNos.values()] : names.flatMap(name => settings.vectorNos.get(name) ?? [])

export function groupByRecord<T extends { record_no: number }>(rows: readonly T[]): Map<number, T[]> {
  const groups = new Map<number, T[]>()
  for (const row of rows) {
    const group = groups.get(row.record_no)
    if (group) group.push(row)
    else groups.set(row.record_no, [row])
  }
  return groups
}
