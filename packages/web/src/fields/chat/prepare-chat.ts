import type { Field } from '@postil/domain/fields'
import type { PrepareContext } from '../field-viewer.ts'
import { markdownOf } from '../markdown.ts'
import { usesMarkdown } from '../uses-markdown.ts'
import { foldedCount, toTurns } from './turns.ts'

/**
 * Maximum number of messages to prepare: the first ones of a chat, or the last ones if it is folded. The rest is parsed when it
 * is shown.
 */
const TURNS_MAX = 20

export function prepareChat(value: unknown, field: Field, { session }: PrepareContext): void {
  if (!usesMarkdown(field)) return
  const turns = toTurns(value)
  const first = new Set([...turns.slice(foldedCount(turns.length)), ...turns.slice(0, TURNS_MAX)])
  for (const { content, json } of first) if (json === null) void markdownOf(session).prepare(content)
}
