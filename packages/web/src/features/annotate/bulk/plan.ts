/** What one press answers: the records that are written one by one, and those that are left to a job of the server. */
import type { ResponseStatus } from '@postil/domain/responses'
import type { Ref } from 'vue'
import type { DatasetBundle } from '../../../datasets/dataset-bundle.ts'
import { widgetOf } from '../../../questions/registry.ts'
import type { Annotation } from '../annotation.ts'
import { type Answers, withBlanks } from '../answers.ts'
import type { Criteria } from '../find/criteria.ts'
import type { QueueItem } from '../record-queue.ts'
import { sharedOnly } from './merge.ts'
import type { Pages } from './pages.ts'
import type { Selection } from './selection.ts'
import { matchTargets, namedTargets, type Targets } from './targets.ts'

/** More than these are confirmed first, and done by the server. */
export const MANY = 100

/** What a person asked for, as everything was when they pressed: the page may show something else before it is sent. */
export interface Press {
  readonly status: ResponseStatus | null
  readonly selection: Selection
  readonly answers: Answers
  readonly criteria: Criteria
}

export interface Plan {
  items: QueueItem[]
  /** Null when there is nothing for a job to do. */
  targets: Targets | null
}

interface Options {
  bundle: Readonly<Ref<DatasetBundle>>
  annotation: Pick<Annotation, 'forms'>
  pages: Pages
}

export function openPlanning({ bundle, annotation, pages }: Options) {
  const ofEachRecord = () => bundle.value.questions.filter(question => widgetOf(question).isPerRecord)
  const canHaveAnswers = ({ criteria }: Press) => criteria.queue !== 'pending'

  /** A required question about each record's own text counts as *nothing here* where none can have an answer yet. */
  function jobAnswers(press: Press): Answers {
    const shared = sharedOnly(press.answers, bundle.value.questions, widgetOf)
    return press.status === 'submitted' && !canHaveAnswers(press) ? withBlanks(shared, ofEachRecord()) : shared
  }

  /** Marked here and not sent: these have something of their own to save. */
  const isMarked = ({ record }: QueueItem) => ofEachRecord().length > 0 && annotation.forms.peek(record.id)?.isEdited === true

  async function makePlan({ selection, criteria }: Press): Promise<Plan> {
    if (selection.kind === 'all' && criteria.similarity === null) {
      const items = pages.seen().filter(item => isMarked(item) && !selection.except.has(item.record.id))
      const except = [...selection.except, ...items.map(({ record }) => record.id)]
      return withoutNone({ items, targets: matchTargets(criteria, except, [], pages.total.value - except.length) })
    }
    if (selection.kind === 'some') {
      const items = [...selection.ids].flatMap(id => pages.find(id) ?? [])
      return namedPlan([...selection.ids], items)
    }
    // The nearest records are one list of a chosen length, told one by one.
    const nearest = await pages.range(0, pages.total.value - 1)
    const items = nearest.filter(({ record }) => !selection.except.has(record.id))
    return namedPlan(
      items.map(({ record }) => record.id),
      items,
    )
  }

  /** `items`: those of the loaded records. */
  function namedPlan(ids: readonly string[], items: QueueItem[]): Plan {
    if (items.length === ids.length && ids.length <= MANY) return { items, targets: null }
    const marked = items.filter(isMarked)
    const markedIds = new Set(marked.map(({ record }) => record.id))
    return withoutNone({ items: marked, targets: namedTargets(ids.filter(id => !markedIds.has(id))) })
  }

  /** Everything that a job writes to a record's own questions is blank: the person is told before. */
  const hidesQuestions = (press: Press, { targets }: Plan) =>
    targets !== null && press.status === 'submitted' && !canHaveAnswers(press) && ofEachRecord().length > 0

  return { makePlan, jobAnswers, ofEachRecord, hidesQuestions }
}

/** The server refuses a job for no records. */
const withoutNone = ({ items, targets }: Plan): Plan => ({
  items,
  targets: targets && targets.expected_total > 0 ? targets : null,
})
