/** What a person does to a record: into the outbox, and at once on screen. */
import { DomainError } from '@postil/domain/errors'
import type { Question } from '@postil/domain/questions'
import type { RecordResponse, ResponseStatus } from '@postil/domain/responses'
import type { Ref } from 'vue'
import type { DatasetBundle } from '../../datasets/dataset-bundle.ts'
import { outboxOf } from '../../outbox/my-outbox.ts'
import type { Write } from '../../outbox/write.ts'
import { isGone } from '../../problems.ts'
import { widgetOf } from '../../questions/registry.ts'
import type { Session } from '../../session/session.ts'
import { newId } from '../../storage/uuid.ts'
import { type Answers, toValues, withBlanks } from './answers.ts'
import type { Queue } from './find/criteria.ts'
import { answersOf, type Forms } from './forms.ts'
import type { QueueItem, RecordQueue } from './record-queue.ts'

export interface WritingOptions {
  session: Session
  bundle: Readonly<Ref<DatasetBundle>>
  queue: RecordQueue
  queueName: Readonly<Ref<Queue>>
  forms: Forms
  onWritten(status: ResponseStatus | null, before: ResponseStatus | null, item: QueueItem): void
  onRefused(): void
  /** The whole dataset is gone: no answer can be saved any more. */
  onDatasetGone(): void
}

export function openWriting(options: WritingOptions) {
  const { session, bundle, queue, queueName, forms, onWritten, onRefused, onDatasetGone } = options
  const { api, userId } = session
  const outbox = outboxOf(session)
  /** What the server has, for records that were written to here. */
  const stored = new Map<string, RecordResponse | null>()

  const storedOf = ({ record }: QueueItem) =>
    stored.has(record.id) ? (stored.get(record.id) ?? null) : (record.responses?.[0] ?? null)

  /** Answers my response as it will be. */
  function write(item: QueueItem, status: ResponseStatus | null, answers: Answers): RecordResponse | null {
    const recordId = item.record.id
    const known = storedOf(item)
    const before = item.response?.status ?? null
    const values = toValues(sentAnswers(status, bundle.value.questions, answers))
    const id = newId()
    const response = status && toResponse(known?.id ?? id, recordId, userId, status, values)
    queue.change(recordId, response, (status ?? 'pending') === queueName.value)
    if (status === null) forms.forget(recordId)
    // What is submitted is in ink, pencilled suggestions too.
    else forms.settle(recordId, status === 'submitted' ? answersOf(response) : answers)
    const datasetId = bundle.value.dataset.id
    const upon = { base: known?.updated_at ?? null, responseId: known?.id ?? null }
    outbox.put({
      ...{ id, userId, datasetId, recordId, status, values: status === null ? {} : values },
      ...{ ...upon, madeAt: Date.now(), tries: 0, refusal: null },
    })
    onWritten(status, before, item)
    return response
  }

  /**
   * Records as the server has them now, which a job may have changed since they were written to here. Kept, not forgotten: what
   * is taken back later is written upon it, from a record that was read earlier.
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

  /** On screen and in the counts is again what the server has. */
  function takeBack({ recordId, status }: Write): void {
    const item = queue.find(recordId)
    if (!item) return
    const kept = storedOf(item)
    queue.change(recordId, kept, (kept?.status ?? 'pending') === queueName.value)
    onWritten(kept?.status ?? null, status, item)
  }

  /** The server's words for one of many do not say whether the record is still there, or the dataset. */
  async function findOut(recordId: string): Promise<void> {
    try {
      await api.getRecord({ params: { record_id: recordId } })
    } catch (error) {
      // Any other trouble says nothing about the record, whose refusal is on screen.
      if (!isGone(error)) return
      forms.lose(recordId)
      const found = await api.getDataset({ params: { dataset_id: bundle.value.dataset.id } }).catch(caught => caught)
      if (found instanceof DomainError && isGone(found)) onDatasetGone()
    }
  }

  /** Another tab has answered a record. One in hand here is shown as it is now; others have left the queue. */
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
      forms.refuse(recordId, refusal.message)
      queue.bringBack(recordId)
      takeBack(refused)
      onRefused()
      void findOut(recordId)
    },
  })
  return { write, learn, stop }
}

/** As the server will have it. */
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

function sentAnswers(status: ResponseStatus | null, questions: readonly Question[], answers: Answers): Answers {
  if (status === 'submitted') return withBlanks(answers, questions)
  return status === 'discarded' ? withoutGaps(questions, answers) : answers
}

/** A record is discarded with what is complete: half an answer would be refused. */
function withoutGaps(questions: readonly Question[], answers: Answers): Answers {
  const complete = questions.filter(question => {
    const value = answers[question.name]?.value ?? null
    return widgetOf(question).isAnswered(value, question) && !widgetOf(question).isPartial(value, question)
  })
  return Object.fromEntries(complete.flatMap(({ name }) => (answers[name] ? [[name, answers[name]]] : [])))
}
