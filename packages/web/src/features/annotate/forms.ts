/** The answers of every record in hand: what stands on the server, what is on screen, and whether they differ. */
import type { RecordResponse } from '@postil/domain/responses'
import { shallowReactive } from 'vue'
import type { DatasetBundle } from '../../datasets/dataset-bundle.ts'
import type { Database } from '../../storage/database.ts'
import { type Answers, areSame, startAnswers } from './answers.ts'
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
  readonly notice?: FormNotice | null
}

/**
 * What a person should know before they go on. `elsewhere`: answered in another tab meanwhile; `replacing`: the same, and the
 * next submit replaces that answer; `restored`: typed here earlier, and the answer has changed since; `finished`: the team has
 * enough answers to it.
 */
export type FormNotice = 'elsewhere' | 'replacing' | 'restored' | 'finished'

const FORMS_MAX = 200

export function openForms(bundle: () => DatasetBundle, database: Database, onRestored: (item: QueueItem) => void) {
  const edits = openLocalEdits(database)
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
    if (!set(item.record.id, form, edit.answers)) return edits.forget(item.record.id)
    // What was typed is never dropped, but it is not sent by itself upon something that the person has not seen.
    if (edit.base !== (item.response?.updated_at ?? null)) return notify(item.record.id, 'restored')
    onRestored(item)
  }

  function notify(recordId: string, notice: FormNotice | null): void {
    const form = forms.get(recordId)
    if (form) forms.set(recordId, { ...form, notice })
  }

  /** What is typed here stays; a form that nobody touched shows the other answer. */
  function answeredElsewhere(item: QueueItem, response: RecordResponse | null): void {
    const form = forms.get(item.record.id)
    if (!form) return
    if (!form.isEdited) forms.set(item.record.id, start({ ...item, response }))
    const isDone = response !== null && response.status !== 'draft'
    if (isDone || form.isEdited) notify(item.record.id, response === null ? null : 'elsewhere')
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

  const peek = (recordId: string) => forms.get(recordId)
  return { open, edit, settle, forget, refuse, lose, notify, answeredElsewhere, peek }
}

export type Forms = ReturnType<typeof openForms>

export const answersOf = (response: Pick<RecordResponse, 'values'> | null): Answers =>
  Object.fromEntries(Object.entries(response?.values ?? {}).map(([name, { value }]) => [name, { value, isPencil: false }]))
