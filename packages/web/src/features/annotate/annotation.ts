/**
 * One person's work on one dataset: which record is in hand, what is answered, and what happens on submit. The page draws it;
 * the next record never waits for the network, because writes go through the outbox.
 */
import type { Question } from '@postil/domain/questions'
import type { RecordResponse, ResponseStatus } from '@postil/domain/responses'
import { computed, ref, shallowRef, watch } from 'vue'
import { isSingleKey } from '../../datasets/dataset-bundle.ts'
import { preferences } from '../../preferences.ts'
import { widgetOf } from '../../questions/registry.ts'
import { type Answers, findGaps, type Gap, suggestedAnswer, withAnswer } from './answers.ts'
import { answersOf, openForms } from './forms.ts'
import type { QueueItem } from './record-queue.ts'
import { openUndoStack } from './undo-stack.ts'
import { openWriting, type WritingOptions } from './writing.ts'

const AUTOSAVE_MS = 2_000

export interface Happened {
  status: ResponseStatus | null
  count: number
}

export interface AnnotationOptions extends Omit<WritingOptions, 'forms' | 'onRefused'> {
  /** Another record is in hand. */
  onMoved(): void
}

export function openAnnotation(options: AnnotationOptions) {
  const { session, bundle, queue, onMoved } = options
  const forms = openForms(() => bundle.value, session.database, planAutosave)
  const { write, learn, stop } = openWriting({ ...options, forms, onRefused })
  const stack = openUndoStack()
  const activeQuestion = ref<string | null>(null)
  const lastDone = shallowRef<Happened | null>(null)
  /** The person pressed submit with something missing. */
  const shownGaps = shallowRef<Gap[]>([])
  let autosave: ReturnType<typeof setTimeout> | undefined

  const current = queue.current
  const form = computed(() => (current.value ? forms.open(current.value) : null))
  const gaps = computed(() => (form.value ? findGaps(bundle.value.questions, form.value.answers) : []))
  watch(() => current.value?.record.id, begin, { immediate: true })

  function begin(_: string | undefined, left: string | undefined): void {
    if (left) leave(left)
    shownGaps.value = []
    activeQuestion.value = bundle.value.questions[0]?.name ?? null
  }

  function setAnswers(item: QueueItem, answers: Answers): void {
    forms.edit(item, answers)
    shownGaps.value = shownGaps.value.filter(({ question }) => findGaps([question], answers).length > 0)
    planAutosave(item)
  }

  function answer(question: Question, value: unknown): void {
    const item = current.value
    if (!item) return
    const before = forms.open(item).answers
    const after = withAnswer(before, question.name, value)
    setAnswers(item, after)
    const show = (answers: Answers) => () => {
      setAnswers(reopen(item), answers)
      activeQuestion.value = question.name
    }
    stack.push({ undo: show(before), redo: show(after) })
  }

  /** Shows a record that may have been let go from the queue meanwhile. */
  function reopen(item: QueueItem): QueueItem {
    queue.insert(item)
    return queue.find(item.record.id) ?? item
  }

  /** What was said to be done is not. */
  function onRefused(): void {
    lastDone.value = null
  }

  function planAutosave(item: QueueItem): void {
    if (item.record.id !== current.value?.record.id) return
    clearTimeout(autosave)
    if (canAutosave(item)) autosave = setTimeout(() => saveEdited(item), AUTOSAVE_MS)
  }

  /**
   * A submitted or discarded record that is edited stays as it is on the server until it is sent again; so does one that was
   * answered elsewhere.
   */
  function canAutosave({ record, response }: QueueItem): boolean {
    const notice = forms.peek(record.id)?.notice ?? null
    const isOpen = (response === null || response.status === 'draft') && (notice === null || notice === 'finished')
    return bundle.value.options.autosave && isOpen
  }

  function saveEdited(item: QueueItem): void {
    const known = forms.peek(item.record.id)
    if (known?.isEdited && canAutosave(item)) write(item, 'draft', known.answers)
  }

  function leave(recordId: string): void {
    clearTimeout(autosave)
    const item = queue.find(recordId)
    if (item) saveEdited(item)
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
    const { answers, notice } = forms.open(item)
    if (status !== null && notice === 'elsewhere') {
      // Somebody in full swing did not see it: the first press tells, the second replaces.
      forms.notify(item.record.id, 'replacing')
      return false
    }
    const before = item.response
    const go = (target: QueueItem) => {
      write(target, status, answers)
      lastDone.value = { status, count: 1 }
      moveOn(status)
    }
    stack.push({ undo: () => restore(item, before, answers), redo: () => go(reopen(item)) })
    go(item)
    return true
  }

  function moveOn(status: ResponseStatus | null): void {
    if (status === 'draft') return
    queue.move(1, true)
    onMoved()
  }

  /** As it was before: the earlier response, or none; and the record in hand again. */
  function restore(item: QueueItem, response: RecordResponse | null, answers: Answers): void {
    lastDone.value = null
    const target = reopen(item)
    write(target, response?.status ?? null, response ? answersOf(response) : answers)
    forms.edit(queue.find(item.record.id) ?? target, answers)
  }

  function takeSuggestion(question: Question): boolean {
    const taken = current.value && suggestedAnswer(current.value.record, question)
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
    if (form.value?.isLost) queue.drop()
    else queue.skip()
    onMoved()
  }

  /** Saves what was typed, stops listening: the page goes away. */
  function close(): void {
    if (current.value) leave(current.value.record.id)
    stop()
  }

  const mode = computed(() => bundle.value.options.suggestions)
  return {
    ...{ form, gaps, shownGaps, mode, activeQuestion, lastDone, stack, forms },
    session,
    ...{ answer, act, write, learn, skip, move, advance, takeSuggestion, reopen, close },
  }
}

export type Annotation = ReturnType<typeof openAnnotation>
