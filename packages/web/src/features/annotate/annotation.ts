/**
 * One person's work on one dataset: which record is in hand, what is answered, and what happens on submit. The page draws it;
 * the next record never waits for the network, because writes go through the outbox.
 */
import type { Question } from '@postil/domain/questions'
import type { RecordResponse, ResponseStatus } from '@postil/domain/responses'
import { computed, type Ref, ref, shallowRef, watch } from 'vue'
import { listenToOtherTabs, listenToOutbox, myOutbox, TAB } from '../../outbox/my-outbox.ts'
import type { Write } from '../../outbox/write.ts'
import { preferences } from '../../preferences.ts'
import { widgetOf } from '../../questions/registry.ts'
import { newId } from '../../storage/uuid.ts'
import { type Answers, findGaps, type Gap, suggestedAnswer, toValues, withAnswer, withBlanks } from './answers.ts'
import { type DatasetBundle, isSingleKey } from './dataset-bundle.ts'
import type { Queue } from './find/criteria.ts'
import { answersOf, openForms } from './forms.ts'
import type { QueueItem, RecordQueue } from './record-queue.ts'
import { openUndoStack } from './undo-stack.ts'

const AUTOSAVE_MS = 2_000

export interface Happened {
  recordId: string
  status: ResponseStatus | null
  count: number
}

export interface AnnotationOptions {
  bundle: Readonly<Ref<DatasetBundle>>
  queue: RecordQueue
  queueName: Readonly<Ref<Queue>>
  userId: string
  /** After a submit or discard, and at the end of the queue. */
  onMoved(): void
  onWritten(happened: Happened, before: ResponseStatus | null): void
}

export function openAnnotation({ bundle, queue, queueName, userId, onMoved, onWritten }: AnnotationOptions) {
  const forms = openForms(() => bundle.value, userId, planAutosave)
  const stack = openUndoStack()
  const activeQuestion = ref<string | null>(bundle.value.questions[0]?.name ?? null)
  const lastDone = shallowRef<Happened | null>(null)
  /** The person pressed submit with something missing. */
  const shownGaps = shallowRef<Gap[]>([])
  /** What the server has, for records that were written to here. */
  const stored = new Map<string, RecordResponse | null>()
  let autosave: ReturnType<typeof setTimeout> | undefined

  const current = queue.current
  const form = computed(() => (current.value ? forms.open(current.value) : null))
  const gaps = computed(() => (form.value ? findGaps(bundle.value.questions, form.value.answers) : []))
  const mode = computed(() => bundle.value.options.suggestions)

  watch(
    () => current.value?.record.id,
    (_, left) => {
      if (left) leave(left)
      shownGaps.value = []
      activeQuestion.value = bundle.value.questions[0]?.name ?? null
    },
  )

  function setAnswers(item: QueueItem, answers: Answers): void {
    forms.edit(item, answers)
    shownGaps.value = shownGaps.value.filter(({ question }) => findGaps([question], answers).length > 0)
    planAutosave(item)
  }

  function planAutosave(item: QueueItem): void {
    if (item.record.id !== current.value?.record.id) return
    clearTimeout(autosave)
    if (canAutosave(item)) autosave = setTimeout(() => saveEdited(item), AUTOSAVE_MS)
  }

  function answer(question: Question, value: unknown): void {
    const item = current.value
    if (!item) return
    const before = forms.open(item).answers
    const after = withAnswer(before, question.name, value)
    setAnswers(item, after)
    const show = (answers: Answers) => () => {
      const target = reopen(item)
      setAnswers(target, answers)
      activeQuestion.value = question.name
    }
    stack.push({ undo: show(before), redo: show(after) })
  }

  /** Shows a record that may have been let go from the queue meanwhile. */
  function reopen(item: QueueItem): QueueItem {
    queue.insert(item)
    return queue.find(item.record.id) ?? item
  }

  // A submitted or discarded record that is edited stays as it is on the server until it is sent again.
  const canAutosave = ({ response }: QueueItem) =>
    bundle.value.options.autosave && (response === null || response.status === 'draft')

  function saveEdited(item: QueueItem): void {
    if (!forms.peek(item.record.id)?.isEdited || !canAutosave(item)) return
    write(item, 'draft', forms.open(item).answers)
  }

  function leave(recordId: string): void {
    clearTimeout(autosave)
    const item = queue.find(recordId)
    if (item) saveEdited(item)
  }

  /** Into the outbox, and at once on screen. */
  function write(item: QueueItem, status: ResponseStatus | null, answers: Answers): RecordResponse | null {
    const { record } = item
    const known = stored.has(record.id) ? (stored.get(record.id) ?? null) : (record.responses?.[0] ?? null)
    const values = toValues(sentAnswers(status, bundle.value.questions, answers))
    const now = new Date().toISOString()
    const before = item.response?.status ?? null
    const made: Write = {
      id: newId(),
      tab: TAB,
      userId,
      datasetId: bundle.value.dataset.id,
      recordId: record.id,
      status,
      values: status === null ? {} : values,
      base: known?.updated_at ?? null,
      responseId: known?.id ?? null,
      madeAt: Date.now(),
      tries: 0,
      refusal: null,
    }
    const response: RecordResponse | null =
      status === null
        ? null
        : { id: known?.id ?? made.id, values, status, record_id: record.id, user_id: userId, inserted_at: now, updated_at: now }
    queue.change(record.id, response, (status ?? 'pending') === queueName.value)
    if (status === null) forms.forget(record.id)
    else forms.settle(record.id, answers)
    void myOutbox().put(made)
    onWritten({ recordId: record.id, status, count: 1 }, before)
    return response
  }

  /** Records as the server has them now, which may have changed by a job since they were written to here. */
  function learn(items: readonly QueueItem[]): void {
    for (const { record } of items) {
      const known = stored.get(record.id)
      const now = record.responses?.[0] ?? null
      const isOlder = now !== null && known != null && now.updated_at < known.updated_at
      if (!isOlder && !myOutbox().pendingFor(record.id)) stored.delete(record.id)
    }
  }

  /** What a person did to the record in hand, with a way back. */
  function act(status: ResponseStatus | null): boolean {
    const item = current.value
    if (!item) return false
    clearTimeout(autosave)
    if (status === 'submitted' && gaps.value.length > 0) {
      shownGaps.value = gaps.value
      activeQuestion.value = gaps.value[0]?.question.name ?? null
      return false
    }
    const before = { response: item.response, answers: forms.open(item).answers }
    const after = before.answers
    write(item, status, after)
    lastDone.value = { recordId: item.record.id, status, count: 1 }
    stack.push({
      undo: () => {
        lastDone.value = null
        restore(item, before.response, before.answers)
      },
      redo: () => {
        write(reopen(item), status, after)
        moveOn(status)
      },
    })
    moveOn(status)
    return true
  }

  function moveOn(status: ResponseStatus | null): void {
    if (status === 'draft') return
    queue.move(1, true)
    onMoved()
  }

  /** As it was before: the earlier response, or none; and the record in hand again. */
  function restore(item: QueueItem, response: RecordResponse | null, answers: Answers): void {
    const target = reopen(item)
    write(target, response?.status ?? null, response ? answersOf(response) : answers)
    forms.edit(queue.find(item.record.id) ?? target, answers)
  }

  function takeSuggestion(question: Question): boolean {
    const item = current.value
    const taken = item && suggestedAnswer(item.record, question)
    if (!taken) return false
    answer(question, taken.value)
    return true
  }

  /** Focus goes on; with one single-key question the answer is sent at once, where the person wants that. */
  function advance(question: Question): void {
    const { questions } = bundle.value
    if (preferences.answerAndGo && isSingleKey(questions, one => widgetOf(one).advances)) return void act('submitted')
    const next = questions[questions.findIndex(({ id }) => id === question.id) + 1]
    if (next) activeQuestion.value = next.name
  }

  function move(step: 1 | -1): void {
    if (queue.move(step)) onMoved()
  }

  function skip(): void {
    queue.skip()
    onMoved()
  }

  const stopListening = [
    listenToOutbox({
      onSaved: (saved, response) => {
        stored.set(saved.recordId, response)
        const item = queue.find(saved.recordId)
        if (item && !myOutbox().pendingFor(saved.recordId)) queue.change(saved.recordId, response, !item.hasLeft)
      },
      onRefused: ({ recordId }, refusal) => {
        stored.set(recordId, refusal.current)
        forms.refuse(recordId, refusal.message)
        queue.bringBack(recordId)
      },
    }),
    listenToOtherTabs(({ recordId, status }, response) => {
      if (recordId === current.value?.record.id) return
      stored.set(recordId, response)
      if ((status ?? 'pending') !== queueName.value) queue.remove(recordId)
    }),
  ]

  return {
    form,
    gaps,
    shownGaps,
    mode,
    activeQuestion,
    lastDone,
    stack,
    forms,
    answer,
    act,
    write,
    learn,
    skip,
    move,
    advance,
    takeSuggestion,
    reopen,
    /** Saves what was typed, stops listening: the page goes away. */
    close: () => {
      if (current.value) leave(current.value.record.id)
      for (const stop of stopListening) stop()
    },
  }
}

export type Annotation = ReturnType<typeof openAnnotation>

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
