import type { Field } from '@postil/domain/fields'
import type { PrepareContext } from '../field-viewer.ts'
import { markdownOf } from '../markdown.ts'
import { usesMarkdown } from '../uses-markdown.ts'
import { toTurns } from './turns.ts'

/** What is on screen first; the rest is parsed when it is shown. */
const TURNS_MAX = 20

export function prepareChat(value: unknown, field: Field, { session }: PrepareContext): void {
  if (!usesMarkdown(field)) return
  for (const { content, json } of toTurns(value).slice(0, TURNS_MAX)) if (json === null) void markdownOf(session).prepare(content)
}
