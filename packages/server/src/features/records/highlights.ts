/** Finds the positions of query words in the records of a page. */
import { ownProperty } from '@postil/domain/own-property'
import type { RecordFields } from '@postil/domain/records'
import type { Json } from '@postil/domain/schema'
import { createHighlighter, type Highlighter, type HighlightRange } from '@postil/domain/search/highlight'
import type { SearchQuery } from '@postil/domain/search/query'
import type { DatasetSettings } from '../datasets/settings.ts'
import type { RecordRow } from './store.ts'

/** Ranges in a text, or in those messages of a chat that have hits. */
type FieldHighlights = HighlightRange[] | { message: number; ranges: HighlightRange[] }[]

/** Returns JSON by record number. Empty without a text query. */
export function showHighlights(
  settings: DatasetSettings,
  text: SearchQuery['text'],
  rows: readonly RecordRow[],
): Map<number, string> {
  if (text === null) return new Map()
  const highlighter = createHighlighter(text.tree)
  const fields = settings.textFields.filter(field => text.field === null || field.name === text.field)
  return new Map(
    rows.map(row => {
      const values = JSON.parse(row.fields) as RecordFields
      const marked = fields.flatMap(({ name }): [string, FieldHighlights][] => {
        const value = ownProperty<Json>(values, name)
        const type = settings.rules.fields.get(name)?.type
        const found = value == null || !type ? [] : markField(highlighter, type.toMarked(value))
        return found.length === 0 ? [] : [[name, found]]
      })
      return [row.no, JSON.stringify(Object.fromEntries(marked))]
    }),
  )
}

function markField(highlighter: Highlighter, texts: string | string[] | null): FieldHighlights {
  if (texts === null) return []
  if (typeof texts === 'string') return highlighter.mark([texts])[0] ?? []
  const found = highlighter.mark(texts).map((ranges, message) => ({ message, ranges }))
  return found.filter(({ ranges }) => ranges.length > 0)
}
