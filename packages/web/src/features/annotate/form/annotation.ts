/**
 * One user's work on one dataset: the current record, its answers, and the actions on it. The page renders this state. The next
 * record never waits for the network, because writes go through the outbox.
 */
import type { Question } from '@postil/domain/questions'
import type { RecordResponse, ResponseStatus } from '@postil/domain/responses'
import { computed, ref, shallowRef, watch } from 'vue'
import { isSingleKey } from '../../../datasets/dataset-bundle.ts'
import { preferences } from '../../../preferences.ts'
import { widgetOf } from '../../../questions/registry.ts'
import type { QueueItem } from '../queue/record-queue.ts'
import { type Answers, findGaps, type Gap, isChange, suggestedAnswer, visibleSuggestion, withAnswer } from './answers.ts'
import { answersOf, openForms } from './forms.ts'
import { openUndoStack } from './undo-stack.ts'
import { openWriting, type WritingOptions } from './writing.ts'

const AUTOSAVE_MS = 2_000

export interface Happened {
  status: ResponseStatus | null
  count: number
}

export interface AnnotationOptions extends Omit<WritingOptions, 'forms' | 'onRefused'> {
  /** Called when the current record changes. */
  onMoved(): void
}

export function openAnnotation(options: AnnotationOptions) {
  const { session, bundle, queue, onMoved } = options
  const forms = openForms(() => bundle.value, session.database, planAutosave)
  const { write, learn, giveUp, stop } = openWriting({ ...options, forms, onRefused })
  const stack = openUndoStack()
  const activeQuestion = ref<string | null>(null)
  const lastDone = shallowRef<Happened | null>(null)
  /** Missing answers, set when the user tries to submit an incomplete form. */
  const shownGaps = shallowRef<Gap[]>([])
  let autosave: ReturnType<typeof setTimeout> | undefined

  const current = queue.current
  const mode = computed(() => bundle.value.options.suggestions)
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
    if (!isChange(before, question, value)) return
    const after = withAnswer(before, question.name, value)
    setAnswers(item, after)
    const show = (answers: Answers) => () => {
      setAnswers(reopen(item), answers)
      activeQuestion.value = question.name
    }
    stack.push({ undo: show(before), redo: show(after) })
  }

  /** Shows a record that the queue may have dropped in the meantime. */
  function reopen(item: QueueItem): QueueItem {
    queue.insert(item)
    return queue.find(item.record.id) ?? item
  }

  /** Removes the message that the action was done. */
  function onRefused(): void {
    lastDone.value = null
  }

  function planAutosave(item: QueueItem): void {
    if (item.record.id !== current.value?.record.id) return
    clearTimeout(autosave)
    if (canAutosave(item)) autosave = setTimeout(() => saveEdited(item), AUTOSAVE_MS)
  }

  /**
   * False for submitted or discarded records, whose edits are only sent explicitly, and for records that were answered elsewhere.
   */
  function canAutosave({ record, response }: QueueItem): boolean {
    const notice = forms.peek(record.id)?.notice ?? null
    if (forms.peek(record.id)?.isLost) return false
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

  /** Applies a status to the current record, with undo. */
  function act(status: ResponseStatus | null): boolean {
    const item = current.value
    // A deleted record cannot be saved. The page says so and offers the next record.
    if (!item || forms.open(item).isLost) return false
    clearTimeout(autosave)
    if (status === 'submitted' && gaps.value.length > 0) {
      shownGaps.value = gaps.value
      activeQuestion.value = gaps.value[0]?.question.name ?? null
      return false
    }
    const { answers, notice } = forms.open(item)
    if (status !== null && notice === 'elsewhere') {
      // The user may have overlooked the notice: the first press repeats it, the second replaces the other answer.
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

  /** Restores the earlier response, or none, and makes the record current again. */
  function restore(item: QueueItem, response: RecordResponse | null, answers: Answers): void {
    lastDone.value = null
    const target = reopen(item)
    write(target, response?.status ?? null, response ? answersOf(response) : answers)
    forms.edit(queue.find(item.record.id) ?? target, answers)
  }

  /** A suggestion that the dataset hides cannot be accepted. */
  function takeSuggestion(question: Question): boolean {
    const record = current.value?.record
    const isVisible = record && form.value && visibleSuggestion(record, question, form.value.answers, mode.value) !== null
    const taken = isVisible ? suggestedAnswer(record, question) : null
    if (!taken) return false
    answer(question, taken.value)
    return true
  }

  /** Moves to the next question. If the dataset has one single-key question and the user prefers it, submits immediately. */
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
    if (form.value?.isLost && current.value) {
      giveUp(current.value.record.id)
      queue.drop()
    } else queue.skip()
    onMoved()
  }

  /** Saves pending edits and removes listeners when the page is closed. */
  function close(): void {
    if (current.value) leave(current.value.record.id)
    stop()
  }

  return {
    ...{ form, gaps, shownGaps, mode, activeQuestion, lastDone, stack, forms },
    session,
    ...{ answer, act, write, learn, skip, move, advance, takeSuggestion, reopen, close },
  }
}

export type Annotation = ReturnType<typeof openAnnotation>
