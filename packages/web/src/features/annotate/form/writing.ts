/** Writes the user's actions on records to the outbox and shows them immediately. */
import { DomainError } from '@postil/domain/errors'
import type { Question } from '@postil/domain/questions'
import { isAnswered } from '@postil/domain/questions/answered'
import type { RecordResponse, ResponseStatus } from '@postil/domain/responses'
import type { Ref } from 'vue'
import type { DatasetBundle } from '../../../datasets/dataset-bundle.ts'
import type { TimedStatus } from '../../../datasets/pace.ts'
import { parseTime } from '../../../i18n/i18n.ts'
import { outboxOf } from '../../../outbox/my-outbox.ts'
import { isRecordDeleted } from '../../../outbox/refusal-words.ts'
import type { Write } from '../../../outbox/write.ts'
import { isGone } from '../../../problems.ts'
import type { Session } from '../../../session/session.ts'
import { newId } from '../../../storage/uuid.ts'
import type { Queue } from '../find/query/criteria.ts'
import type { QueueItem, RecordQueue } from '../queue/record-queue.ts'
import { type Answers, toValues } from './answers.ts'
import { answersOf, type Forms } from './forms.ts'

export interface WritingOptions {
  session: Session
  bundle: Readonly<Ref<DatasetBundle>>
  queue: RecordQueue
  queueName: Readonly<Ref<Queue>>
  forms: Forms
  onWritten(after: TimedStatus, before: TimedStatus, item: QueueItem): void
  onRefused(): void
  /** Called if the whole dataset was deleted, so that answers can no longer be saved. */
  onDatasetGone(): void
}

export function openWriting(options: WritingOptions) {
  const { session, bundle, queue, queueName, forms, onWritten, onRefused, onDatasetGone } = options
  const { api, userId } = session
  const outbox = outboxOf(session)
  /** The server's responses, for records that were written here. */
  const stored = new Map<string, RecordResponse | null>()

  const storedOf = ({ record }: QueueItem) =>
    stored.has(record.id) ? (stored.get(record.id) ?? null) : (record.responses?.[0] ?? null)

  /** Returns the user's response as the server will store it. */
  function write(item: QueueItem, status: ResponseStatus | null, answers: Answers): RecordResponse | null {
    const recordId = item.record.id
    const known = storedOf(item)
    const before = toTimed(item.response)
    const values = toValues(status === 'draft' ? answers : withoutGaps(bundle.value.questions, answers))
    const id = newId()
    const response = status && toResponse(known?.id ?? id, recordId, userId, status, values)
    queue.change(recordId, response, (status ?? 'pending') === queueName.value)
    if (status === null) forms.forget(recordId)
    // All answers of a submitted response count as the user's own, including accepted suggestions.
    else forms.settle(recordId, status === 'submitted' ? answersOf(response) : answers)
    const datasetId = bundle.value.dataset.id
    const upon = { base: known?.updated_at ?? null, baseStatus: known?.status ?? null, responseId: known?.id ?? null }
    outbox.put({
      ...{ id, userId, datasetId, recordId, status, values: status === null ? {} : values },
      ...{ ...upon, madeAt: Date.now(), tries: 0, refusal: null },
    })
    onWritten(toTimed(response), before, item)
    return response
  }

  /**
   * Updates the known responses with the server's version, which a job may have changed since they were written here. They are
   * updated, not deleted, because a later undo is based on them, from a record that was loaded earlier.
   */
  function learn(items: readonly QueueItem[]): void {
    for (const { record } of items) {
      if (!stored.has(record.id)) continue
      const known = stored.get(record.id)
      const now = record.responses?.[0] ?? null
      const isOlder = now !== null && known != null && now.updated_at < known.updated_at
      if (!isOlder && !outbox.pendingFor(record.id)) stored.set(record.id, now)
    }
  }

  /** Restores the server's version on screen and in the counters. */
  function takeBack({ recordId, status, madeAt }: Write): void {
    const item = queue.find(recordId)
    if (!item) return
    const kept = storedOf(item)
    queue.change(recordId, kept, (kept?.status ?? 'pending') === queueName.value)
    onWritten(toTimed(kept), { status, changedAt: madeAt }, item)
  }

  /** Called if the record was deleted, perhaps with its whole dataset. */
  async function lose(recordId: string): Promise<void> {
    forms.lose(recordId)
    const found = await api.getDataset({ params: { dataset_id: bundle.value.dataset.id } }).catch(caught => caught)
    if (found instanceof DomainError && isGone(found)) onDatasetGone()
  }

  /** Discards refused writes of this record. */
  function giveUp(recordId: string): void {
    for (const refused of outbox.refused.value) if (refused.recordId === recordId) outbox.drop(refused.id)
  }

  /** Called when another tab has answered a record. The current record shows that answer; others are removed from the queue. */
  function showElsewhere({ recordId, status, values }: Write): void {
    const item = queue.find(recordId)
    if (!item) return
    const response = status && toResponse(storedOf(item)?.id ?? newId(), recordId, userId, status, values)
    const isHere = (status ?? 'pending') === queueName.value
    queue.change(recordId, response, isHere)
    forms.answeredElsewhere(item, response)
    if (!isHere) queue.remove(recordId)
  }

  const stop = outbox.listen({
    onPutElsewhere: showElsewhere,
    onSaved: (saved, response) => {
      const { recordId } = saved
      stored.set(recordId, response)
      const item = queue.find(recordId)
      if (item && !outbox.pendingFor(recordId)) queue.change(recordId, response, !item.hasLeft)
    },
    onRefused: (refused, refusal) => {
      const { recordId, datasetId } = refused
      if (datasetId !== bundle.value.dataset.id) return
      if (refusal.kind === 'conflict') stored.set(recordId, refusal.current)
      forms.refuse(recordId, refusal)
      queue.bringBack(recordId)
      takeBack(refused)
      onRefused()
      if (isRecordDeleted(refusal)) void lose(recordId)
    },
  })
  return { write, learn, giveUp, stop }
}

const toTimed = (response: RecordResponse | null): TimedStatus =>
  response && { status: response.status, changedAt: parseTime(response.updated_at).getTime() }

/** Returns the response as the server will store it. */
function toResponse(
  id: string,
  record_id: string,
  user_id: string,
  status: ResponseStatus,
  values: RecordResponse['values'],
): RecordResponse {
  const now = new Date().toISOString()
  return { id, record_id, user_id, status, values, inserted_at: now, updated_at: now }
}

/** Drops values that do not answer their question. Only drafts keep them. */
function withoutGaps(questions: readonly Question[], answers: Answers): Answers {
  const complete = questions.filter(question => isAnswered(answers[question.name]?.value, question))
  return Object.fromEntries(complete.flatMap(({ name }) => (answers[name] ? [[name, answers[name]]] : [])))
}
