/** What hangs on a page of records, read with one statement per kind. */
import type { Include } from '@postil/domain/search/include'
import type { Queryable } from '../../storage/database.ts'
import type { DatasetSettings } from '../datasets/settings.ts'
import { listResponsesOf } from '../responses/store.ts'
import { listSuggestionsOf } from '../suggestions/store.ts'
import { listVectorsOf } from '../vectors/store.ts'
import type { Relations } from './record-json.ts'

interface Wanted extends Include {
  /** Only this user's responses; null for everybody's. */
  userId: string | null
}

export async function listRelations(
  db: Queryable,
  settings: DatasetSettings,
  rows: readonly { no: number }[],
  wanted: Wanted,
): Promise<(row: { no: number }) => Relations> {
  const nos = rows.map(row => row.no)
  const responses = wanted.responses ? groupByRecord(await listResponsesOf(db, nos, wanted.userId)) : undefined
  const suggestions = wanted.suggestions ? groupByRecord(await listSuggestionsOf(db, nos)) : undefined
  const vectors =
    wanted.vectors === false ? undefined : groupByRecord(await listVectorsOf(db, nos, settingsNos(settings, wanted.vectors)))
  return ({ no }) => ({
    responses: responses && (responses.get(no) ?? []),
    suggestions: suggestions && (suggestions.get(no) ?? []),
    vectors: vectors && (vectors.get(no) ?? []),
  })
}

/** Names that no setting has are left out, and so are vectors whose setting is gone and that are still to be removed. */
const settingsNos = (settings: DatasetSettings, wanted: true | readonly string[]) =>
  wanted === true ? [...settings.vectorNos.values()] : wanted.flatMap(name => settings.vectorNos.get(name) ?? [])

export function groupByRecord<T extends { record_no: number }>(rows: readonly T[]): Map<number, T[]> {
  const groups = new Map<number, T[]>()
  for (const row of rows) {
    const group = groups.get(row.record_no)
    if (group) group.push(row)
    else groups.set(row.record_no, [row])
  }
  return groups
}
