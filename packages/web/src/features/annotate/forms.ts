/** The answers of every record in hand: what stands on the server, what is on screen, and whether they differ. */
import type { RecordResponse } from '@postil/domain/responses'
import { shallowReactive } from 'vue'
import { type Answers, areSame, startAnswers } from './answers.ts'
import type { DatasetBundle } from './dataset-bundle.ts'
import { openLocalEdits } from './local-edits.ts'
import type { QueueItem } from './record-queue.ts'

export interface Form {
  readonly answers: Answers
  /** What the answers were when nobody had touched them. */
  readonly original: Answers
  readonly isEdited: boolean
  /** Why the server refused: by question name, or '' for the whole. */
  readonly problems: Readonly<Record<string, string>>
  /** The record was deleted while somebody worked on it: nothing can be saved any more. */
  readonly isLost?: boolean
}

const FORMS_MAX = 200

export function openForms(bundle: () => DatasetBundle, userId: string, onRestored: (item: QueueItem) => void) {
  const edits = openLocalEdits(userId)
  const forms = shallowReactive(new Map<string, Form>())

  function start({ record, response }: QueueItem): Form {
    const { questions, options } = bundle()
    const original = startAnswers(record, response, questions, options.suggestions)
    return { answers: original, original, isEdited: false, problems: {} }
  }

  /** Of this record, begun if need be. */
  function open(item: QueueItem): Form {
    const known = forms.get(item.record.id)
    if (known) return known
    const form = start(item)
    forms.set(item.record.id, form)
    const oldest = forms.keys().next().value
    if (forms.size > FORMS_MAX && oldest !== undefined) forms.delete(oldest)
    void restore(item)
    return form
  }

  async function restore(item: QueueItem): Promise<void> {
    const edit = await edits.find(item.record.id)
    const form = forms.get(item.record.id)
    if (!edit || !form || form.isEdited) return
    if (edit.base !== (item.response?.updated_at ?? null)) return edits.forget(item.record.id)
    if (set(item.record.id, form, edit.answers)) onRestored(item)
  }

  function set(recordId: string, form: Form, answers: Answers): boolean {
    const isEdited = !areSame(answers, form.original, bundle().questions)
    forms.set(recordId, { ...form, answers, isEdited, problems: {} })
    return isEdited
  }

  function edit(item: QueueItem, answers: Answers): void {
    if (set(item.record.id, open(item), answers))
      edits.keep(item.record.id, { answers, base: item.response?.updated_at ?? null, at: Date.now() })
    else edits.forget(item.record.id)
  }

  /** What is on screen is on its way to the server, or was taken from there. */
  function settle(recordId: string, answers: Answers): void {
    forms.set(recordId, { answers, original: answers, isEdited: false, problems: {} })
    edits.forget(recordId)
  }

  /** Starts anew from what the server has. */
  function forget(recordId: string): void {
    forms.delete(recordId)
    edits.forget(recordId)
  }

  function refuse(recordId: string, message: string): void {
    const form = forms.get(recordId)
    const name = /^at values\.(.+?)\.value(?:\.\S+)?: /.exec(message)?.[1] ?? ''
    if (form) forms.set(recordId, { ...form, problems: { [name]: message.replace(/^at \S+: /, '') } })
  }

  function lose(recordId: string): void {
    const form = forms.get(recordId)
    if (form) forms.set(recordId, { ...form, problems: {}, isLost: true })
  }

  return { open, edit, settle, forget, refuse, lose, peek: (recordId: string) => forms.get(recordId) }
}

export type Forms = ReturnType<typeof openForms>

export const answersOf = (response: Pick<RecordResponse, 'values'> | null): Answers =>
  Object.fromEntries(Object.entries(response?.values ?? {}).map(([name, { value }]) => [name, { value, isPencil: false }]))
