/** Submit, save, discard, return: to the ticked records, the few through the outbox and the many by a job of the server. */
import type { BulkJob, BulkRequest } from '@postil/domain/bulk-jobs'
import type { Question } from '@postil/domain/questions'
import type { ResponseStatus } from '@postil/domain/responses'
import { type Ref, shallowRef } from 'vue'
import type { DatasetBundle } from '../../../datasets/dataset-bundle.ts'
import { t } from '../../../i18n/i18n.ts'
import { widgetOf } from '../../../questions/registry.ts'
import { newId } from '../../../storage/uuid.ts'
import type { Annotation } from '../annotation.ts'
import { type Answers, toValues, withBlanks } from '../answers.ts'
import type { CounterBoard } from '../counters.ts'
import type { Criteria } from '../find/criteria.ts'
import { answersOf } from '../forms.ts'
import type { QueueItem } from '../record-queue.ts'
import type { BulkForm } from './bulk-form.ts'
import { type Group, type Groups, toGroupState } from './groups.ts'
import type { Jobs } from './jobs.ts'
import { mergeAnswers, sharedOnly } from './merge.ts'
import type { Pages } from './pages.ts'
import { matchTargets, namedTargets, type Targets } from './targets.ts'
import type { Ticks } from './ticks.ts'
import type { Entry, Writing } from './write-many.ts'

/** More than these are confirmed first, and done by the server. */
export const MANY = 100

/** What a person is asked before it happens. */
export interface Asking {
  count: number
  status: ResponseStatus | null
  lines: { title: string; text: string }[]
  go(): void
}

export interface SendingOptions {
  bundle: Readonly<Ref<DatasetBundle>>
  criteria: Readonly<Ref<Criteria>>
  annotation: Annotation
  counters: CounterBoard
  pages: Pages
  ticks: Ticks
  form: BulkForm
  jobs: Jobs
  groups: Groups
  writing: Writing
}

/** Written one by one, and left to a job. */
interface Plan {
  items: QueueItem[]
  targets: Targets | null
}

export function openSending(options: SendingOptions) {
  const { bundle, criteria, annotation, counters, pages, ticks, form, jobs, groups, writing } = options
  const asking = shallowRef<Asking | null>(null)
  const canHaveAnswers = () => criteria.value.queue !== 'pending'
  const ofEachRecord = () => bundle.value.questions.filter(question => widgetOf(question).isPerRecord)

  /** A required question about each record's own text counts as *nothing here* where none can have an answer yet. */
  function jobAnswers(status: ResponseStatus): Answers {
    const shared = sharedOnly(form.answers.value, bundle.value.questions, widgetOf)
    return status === 'submitted' && !canHaveAnswers() ? withBlanks(shared, ofEachRecord()) : shared
  }

  /** Marked here and not sent: these have something of their own to save. */
  const isMarked = ({ record }: QueueItem) => ofEachRecord().length > 0 && annotation.forms.peek(record.id)?.isEdited === true

  async function makePlan(): Promise<Plan> {
    const selection = ticks.selection.value
    if (selection.kind === 'all' && criteria.value.similarity === null) {
      const items = pages.seen().filter(item => isMarked(item) && !selection.except.has(item.record.id))
      const except = [...selection.except, ...items.map(({ record }) => record.id)]
      return { items, targets: matchTargets(criteria.value, except, [], pages.total.value - except.length) }
    }
    // The nearest records are one list of a chosen length, told one by one.
    const ids = selection.kind === 'some' ? [...selection.ids] : await namesOfAll(selection.except)
    const items = ids.flatMap(id => pages.find(id) ?? [])
    if (items.length === ids.length && ids.length <= MANY) return { items, targets: null }
    const marked = new Set(items.filter(isMarked).map(({ record }) => record.id))
    return { items: items.filter(isMarked), targets: namedTargets(ids.filter(id => !marked.has(id))) }
  }

  async function namesOfAll(except: ReadonlySet<string>): Promise<string[]> {
    const items = await pages.range(0, pages.total.value - 1)
    return items.map(({ record }) => record.id).filter(id => !except.has(id))
  }

  async function send(status: ResponseStatus | null): Promise<void> {
    if (ticks.count.value === 0 || jobs.pressed.value !== null) return
    if (status === 'submitted' && !form.check()) return
    const plan = await makePlan()
    const count = plan.items.length + (plan.targets?.expected_total ?? 0)
    const hides = plan.targets !== null && status === 'submitted' && !canHaveAnswers() && ofEachRecord().length > 0
    const go = () => void carryOut(plan, status)
    if (count <= MANY && !hides) return go()
    asking.value = { count, status, lines: linesFor(plan, status), go }
  }

  function linesFor({ targets }: Plan, status: ResponseStatus | null): Asking['lines'] {
    if (status === null) return []
    const answers = targets ? jobAnswers(status) : form.answers.value
    return bundle.value.questions.flatMap((question: Question) => {
      const answer = answers[question.name]
      return answer ? [{ title: question.title, text: widgetOf(question).summarize(answer.value, question) }] : []
    })
  }

  function entryFor(item: QueueItem, status: ResponseStatus | null): Entry {
    const { questions } = bundle.value
    const marked = ofEachRecord().length > 0 ? annotation.forms.open(item).answers : {}
    const of = { stored: answersOf(item.response), marked }
    return { item, status, answers: status === null ? {} : mergeAnswers(of, form.answers.value, questions, widgetOf) }
  }

  async function carryOut({ items, targets }: Plan, status: ResponseStatus | null): Promise<void> {
    const before = { selection: ticks.selection.value, answers: form.answers.value }
    const forward = items.map(item => entryFor(item, status))
    const back = items.map(item => ({ item, status: item.response?.status ?? null, answers: answersOf(item.response) }))
    const job =
      targets && targets.expected_total > 0
        ? await jobs.run({ ...targets, action: actionFor(status) }, status ?? 'pending')
        : null
    if (targets && !job) return void pages.load()
    // While a job ran, the person may have gone on.
    if (ticks.selection.value === before.selection) ticks.clear()
    if (form.answers.value === before.answers) form.clear()
    writing.writeAll(forward)
    const keeping = keepGroup(back)
    if (job) afterJob(job)
    annotation.lastDone.value = { status, count: forward.length + (job?.done ?? 0) }
    const turn = job ? turnJob(job.id) : () => {}
    annotation.stack.push({
      undo: () => {
        annotation.lastDone.value = null
        writing.writeAll(back)
        keeping.forget()
        form.answers.value = before.answers
        if (!job) ticks.set(before.selection)
        turn()
      },
      redo: () => {
        ticks.clear()
        form.clear()
        writing.writeAll(forward)
        keeping.keep()
        turn()
      },
    })
  }

  /** What was just written to these, to be taken back after a reload too. */
  function keepGroup(back: readonly Entry[]) {
    const entries = back.map(({ item, status, answers }) => ({
      recordId: item.record.id,
      before: status && { status, values: toValues(answers) },
      after: toGroupState(item.response),
    }))
    const group: Group = { id: newId(), inserted_at: new Date().toISOString(), entries }
    const keep = () => {
      if (entries.length > 0) groups.add(group)
    }
    keep()
    return { keep, forget: () => groups.remove(group.id) }
  }

  function actionFor(status: ResponseStatus | null): BulkRequest['action'] {
    if (status === null) return { type: 'return_to_pending' }
    // Widgets make values of their question's type.
    return { type: 'respond', status, values: toValues(jobAnswers(status)) } as BulkRequest['action']
  }

  /** Undoes a job, then undoes the undo, and so on. */
  function turnJob(jobId: string): () => void {
    let last = jobId
    return async () => {
      const job = await jobs.undo(last)
      if (!job) return
      last = job.id
      afterJob(job)
    }
  }

  /** What could not be done stays ticked, with the reason on each card. */
  function afterJob({ failures }: BulkJob): void {
    for (const { record_id, reason } of failures) writing.failures.set(record_id, t('bulk.not_saved', { reason }))
    ticks.add(failures.map(({ record_id }) => record_id))
    void counters.refresh().catch(() => null)
    void pages.load()
  }

  return { asking, send, afterJob, turnJob }
}

export type Sending = ReturnType<typeof openSending>
