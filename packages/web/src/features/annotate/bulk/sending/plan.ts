/** Splits the records of one action into those that are written one by one and those that a job on the server handles. */
import type { ResponseStatus } from '@postil/domain/responses'
import type { Ref } from 'vue'
import type { DatasetBundle } from '../../../../datasets/dataset-bundle.ts'
import { widgetOf } from '../../../../questions/registry.ts'
import type { Criteria } from '../../find/query/criteria.ts'
import type { Annotation } from '../../form/annotation.ts'
import type { Answers } from '../../form/answers.ts'
import type { QueueItem } from '../../queue/record-queue.ts'
import type { Pages } from '../selection/pages.ts'
import type { Selection } from '../selection/selection.ts'
import { nothingToMark, sharedOnly } from './merge.ts'
import { matchTargets, namedTargets, type Targets } from './targets.ts'

/** More records than this need a confirmation, and are handled by a job on the server. */
export const MANY = 100

/** Snapshot of the state when a button was pressed, because the page may have changed before the request is sent. */
export interface Press {
  readonly status: ResponseStatus | null
  readonly selection: Selection
  readonly answers: Answers
  readonly criteria: Criteria
}

export interface Plan {
  items: QueueItem[]
  /** Null if no job is needed. */
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

  /** That there is nothing to mark is only said of records that cannot have marks yet: the job would replace theirs. */
  function jobAnswers(press: Press): Answers {
    const { questions } = bundle.value
    const shared = sharedOnly(press.answers, questions, widgetOf)
    return canHaveAnswers(press) ? shared : { ...nothingToMark(press.answers, questions, widgetOf), ...shared }
  }

  /** True for records with unsaved spans, which have their own answers to save. */
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
    // Results of a similarity search are a list of fixed length, so they are sent by id.
    const nearest = await pages.range(0, pages.total.value - 1)
    const items = nearest.filter(({ record }) => !selection.except.has(record.id))
    return namedPlan(
      items.map(({ record }) => record.id),
      items,
    )
  }

  /** `items`: the records among `ids` that are loaded. */
  function namedPlan(ids: readonly string[], items: QueueItem[]): Plan {
    if (items.length === ids.length && ids.length <= MANY) return { items, targets: null }
    const marked = items.filter(isMarked)
    const markedIds = new Set(marked.map(({ record }) => record.id))
    return withoutNone({ items: marked, targets: namedTargets(ids.filter(id => !markedIds.has(id))) })
  }

  /** True if the job answers questions about each record's own text. The user is told before. */
  const hidesQuestions = (press: Press, { targets }: Plan) =>
    targets !== null && ofEachRecord().some(({ name }) => Object.hasOwn(jobAnswers(press), name))

  return { makePlan, jobAnswers, ofEachRecord, hidesQuestions }
}

/** The server refuses a job without records. */
const withoutNone = ({ items, targets }: Plan): Plan => ({
  items,
  targets: targets && targets.expected_total > 0 ? targets : null,
})
