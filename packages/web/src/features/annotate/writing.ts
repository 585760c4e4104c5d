/** What a person does to a record: into the outbox, and at once on screen. */
import type { Question } from '@postil/domain/questions'
import type { RecordResponse, ResponseStatus } from '@postil/domain/responses'
import type { Ref } from 'vue'
import { api } from '../../api.ts'
import { listenToOtherTabs, listenToOutbox, myOutbox, TAB } from '../../outbox/my-outbox.ts'
import type { Write } from '../../outbox/write.ts'
import { isGone } from '../../problems.ts'
import { widgetOf } from '../../questions/registry.ts'
import { newId } from '../../storage/uuid.ts'
import { type Answers, toValues, withBlanks } from './answers.ts'
import type { DatasetBundle } from './dataset-bundle.ts'
import type { Queue } from './find/criteria.ts'
import { answersOf, type Forms } from './forms.ts'
import type { QueueItem, RecordQueue } from './record-queue.ts'

export interface WritingOptions {
  bundle: Readonly<Ref<DatasetBundle>>
  queue: RecordQueue
  queueName: Readonly<Ref<Queue>>
  forms: Forms
  userId: string
  onWritten(status: ResponseStatus | null, before: ResponseStatus | null, item: QueueItem): void
  onRefused(): void
}

export function openWriting({ bundle, queue, queueName, forms, userId, onWritten, onRefused }: WritingOptions) {
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
    void myOutbox().put({
      ...{ id, tab: TAB, userId, datasetId, recordId, status, values: status === null ? {} : values },
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
      if (!isOlder && !myOutbox().pendingFor(record.id)) stored.set(record.id, now)
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

  /** The server's words for one of many do not say whether the record is still there. */
  async function findOut(recordId: string): Promise<void> {
    try {
      await api.getRecord({ params: { record_id: recordId } })
    } catch (error) {
      // Any other trouble says nothing about the record, whose refusal is on screen.
      if (isGone(error)) forms.lose(recordId)
    }
  }

  const stops = [
    listenToOutbox({
      onSaved: ({ recordId }, response) => {
        stored.set(recordId, response)
        const item = queue.find(recordId)
        if (item && !myOutbox().pendingFor(recordId)) queue.change(recordId, response, !item.hasLeft)
      },
      onRefused: (refused, refusal) => {
        const { recordId } = refused
        if (refusal.kind === 'conflict') stored.set(recordId, refusal.current)
        forms.refuse(recordId, refusal.message)
        queue.bringBack(recordId)
        takeBack(refused)
        onRefused()
        void findOut(recordId)
      },
    }),
    listenToOtherTabs(({ recordId, status }, response) => {
      stored.set(recordId, response)
      if ((status ?? 'pending') !== queueName.value) queue.remove(recordId)
    }),
  ]
  return {
    write,
    learn,
    stop: () => {
      for (const stop of stops) stop()
    },
  }
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
