/** Form that answers all selected records. */
import type { Question } from '@postil/domain/questions'
import { computed, type Ref, shallowRef, watch } from 'vue'
import type { DatasetBundle } from '../../../datasets/dataset-bundle.ts'
import { widgetOf } from '../../../questions/registry.ts'
import type { Queue } from '../find/query/criteria.ts'
import type { Annotation } from '../form/annotation.ts'
import { type Answers, type Gap, isChange, startAnswers, suggestedAnswer, withAnswer } from '../form/answers.ts'
import { answersOf } from '../form/forms.ts'
import type { QueueItem } from '../queue/record-queue.ts'
import type { Ticks } from './selection/ticks.ts'
import { bulkGaps, type OfRecord } from './sending/merge.ts'

interface Options {
  bundle: Readonly<Ref<DatasetBundle>>
  queue: Readonly<Ref<Queue>>
  annotation: Annotation
  ticks: Ticks
}

export function openBulkForm({ bundle, queue, annotation, ticks }: Options) {
  const answers = shallowRef<Answers>({})
  const shownGaps = shallowRef<Gap[]>([])
  const { activeQuestion, stack, forms } = annotation

  const gaps = computed(() =>
    bulkGaps(bundle.value.questions, answers.value, ticks.allItems.value?.map(ownAnswers) ?? null, {
      rules: widgetOf,
      canHaveAnswers: queue.value !== 'pending',
    }),
  )
  function ownAnswers({ record, response }: QueueItem): OfRecord {
    const marked = forms.peek(record.id)?.answers ?? startAnswers(record, response, bundle.value.questions, annotation.mode.value)
    return { stored: answersOf(response), marked }
  }
  watch(gaps, now => {
    shownGaps.value = shownGaps.value.filter(({ question }) => now.some(gap => gap.question.id === question.id))
  })

  function answer(question: Question, value: unknown): void {
    const before = answers.value
    if (!isChange(before, question, value)) return
    const after = withAnswer(before, question.name, value)
    const show = (next: Answers) => () => {
      answers.value = next
      activeQuestion.value = question.name
    }
    show(after)()
    stack.push({ undo: show(before), redo: show(after) })
  }

  /** Called when a span was added in a record's own text. Selects the record. */
  function mark(item: QueueItem, name: string, value: unknown): void {
    const before = forms.open(item).answers
    const after = withAnswer(before, name, value)
    const show = (next: Answers) => () => forms.edit(item, next)
    show(after)()
    stack.push({ undo: show(before), redo: show(after) })
    ticks.add([item.record.id])
  }

  function advance(question: Question): void {
    const { questions } = bundle.value
    const next = questions[questions.findIndex(({ id }) => id === question.id) + 1]
    if (next) activeQuestion.value = next.name
  }

  /** Returns true if no answer is missing. */
  function check(): boolean {
    shownGaps.value = gaps.value
    const [first] = gaps.value
    if (first) activeQuestion.value = first.question.name
    return first === undefined
  }

  /** Counts the selected records whose suggestion equals this answer. Returns null if there is no answer or no suggestion. */
  function countSuggesting(question: Question): { count: number; of: number } | null {
    const value = answers.value[question.name]?.value ?? null
    const items = ticks.items.value ?? []
    const suggested = items.flatMap(({ record }) => suggestedAnswer(record, question) ?? [])
    if (value === null || suggested.length === 0) return null
    return { count: suggested.filter(one => widgetOf(question).areEqual(one.value, value)).length, of: items.length }
  }

  return {
    answers,
    gaps,
    shownGaps,
    answer,
    mark,
    advance,
    check,
    countSuggesting,
    clear: () => {
      answers.value = {}
      shownGaps.value = []
    },
  }
}

export type BulkForm = ReturnType<typeof openBulkForm>
