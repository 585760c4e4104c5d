/** Forms of all open records: the stored answers, the answers on screen, and whether they differ. */
import type { RecordResponse } from '@postil/domain/responses'
import { shallowReactive } from 'vue'
import type { DatasetBundle } from '../../../datasets/dataset-bundle.ts'
import { t } from '../../../i18n/i18n.ts'
import { describeNotSaved, describeRefusal, refusedQuestion } from '../../../outbox/refusal-words.ts'
import type { Refusal } from '../../../outbox/write.ts'
import type { Database } from '../../../storage/database.ts'
import type { QueueItem } from '../queue/record-queue.ts'
import { type Answers, areSame, startAnswers } from './answers.ts'
import { openLocalEdits } from './local-edits.ts'

export interface Form {
  readonly answers: Answers
  /** Answers before any edit. */
  readonly original: Answers
  readonly isEdited: boolean
  /** Error messages of the server by question name, or under '' for the whole response. */
  readonly problems: Readonly<Record<string, string>>
  /** True if the record was deleted while the user worked on it, so that nothing can be saved. */
  readonly isLost?: boolean
  readonly notice?: FormNotice | null
}

/**
 * Notice above the form. `elsewhere`: answered in another tab in the meantime; `replacing`: the same, and the next submit
 * replaces that answer; `restored`: unsent edits were restored, but the stored answer has changed since; `finished`: the team has
 * enough answers.
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

  /** Returns the form of a record, and creates it if necessary. */
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
    // Restored edits are never dropped, but they are not sent automatically over a response that the user has not seen.
    if (edit.base !== (item.response?.updated_at ?? null)) return notify(item.record.id, 'restored')
    onRestored(item)
  }

  function notify(recordId: string, notice: FormNotice | null): void {
    const form = forms.get(recordId)
    if (form) forms.set(recordId, { ...form, notice })
  }

  /** Keeps edits; an unedited form shows the other answer. */
  function answeredElsewhere(item: QueueItem, response: RecordResponse | null): void {
    const form = forms.get(item.record.id)
    if (!form) return
    if (!form.isEdited) forms.set(item.record.id, start({ ...item, response }))
    const isDone = response !== null && response.status !== 'draft'
    if (isDone || form.isEdited) notify(item.record.id, response === null ? null : 'elsewhere')
  }

  /** Starts an unedited form again, from a newer version of its record. */
  function renew(item: QueueItem): void {
    const form = forms.get(item.record.id)
    if (form && !form.isEdited && !form.isLost) forms.set(item.record.id, { ...start(item), notice: form.notice ?? null })
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

  /** Marks the answers as sent to the server or loaded from it. */
  function settle(recordId: string, answers: Answers): void {
    forms.set(recordId, { answers, original: answers, isEdited: false, problems: {} })
    edits.forget(recordId)
  }

  /** Drops the form, so that it starts again from the server's version. */
  function forget(recordId: string): void {
    forms.delete(recordId)
    edits.forget(recordId)
  }

  function refuse(recordId: string, refusal: Refusal): void {
    const form = forms.get(recordId)
    const named = refusedQuestion(refusal)
    const question = bundle().questions.find(({ name }) => name === named)
    const problems = question
      ? { [question.name]: t('problems.answer_value', { message: describeRefusal(refusal) }) }
      : { '': describeNotSaved(refusal) }
    if (form) forms.set(recordId, { ...form, problems })
  }

  function lose(recordId: string): void {
    const form = forms.get(recordId)
    if (form) forms.set(recordId, { ...form, problems: {}, isLost: true })
  }

  const peek = (recordId: string) => forms.get(recordId)
  return { open, edit, settle, forget, refuse, lose, notify, answeredElsewhere, renew, peek }
}

export type Forms = ReturnType<typeof openForms>

export const answersOf = (response: Pick<RecordResponse, 'values'> | null): Answers =>
  Object.fromEntries(Object.entries(response?.values ?? {}).map(([name, { value }]) => [name, { value, isPencil: false }]))
