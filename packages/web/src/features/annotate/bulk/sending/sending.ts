/** Submits, saves, discards or returns the selected records: a few through the outbox, many by a job on the server. */
import type { BulkJob, BulkRequest } from '@postil/domain/bulk-jobs'
import { withoutPath } from '@postil/domain/item-error'
import type { Question } from '@postil/domain/questions'
import type { ResponseStatus } from '@postil/domain/responses'
import { type Ref, shallowRef } from 'vue'
import type { DatasetBundle } from '../../../../datasets/dataset-bundle.ts'
import { t } from '../../../../i18n/i18n.ts'
import { describeRefusal } from '../../../../outbox/refusal-words.ts'
import { describeProblem } from '../../../../problems.ts'
import { widgetOf } from '../../../../questions/registry.ts'
import { newId } from '../../../../storage/uuid.ts'
import type { Criteria } from '../../find/query/criteria.ts'
import type { Annotation } from '../../form/annotation.ts'
import { toValues } from '../../form/answers.ts'
import { answersOf } from '../../form/forms.ts'
import type { CounterBoard } from '../../queue/counters.ts'
import type { QueueItem } from '../../queue/record-queue.ts'
import type { BulkForm } from '../bulk-form.ts'
import { openJobStep } from '../jobs/job-step.ts'
import type { Begun, Jobs } from '../jobs/jobs.ts'
import type { Pages } from '../selection/pages.ts'
import { isSameSelection, withTicks } from '../selection/selection.ts'
import type { Ticks } from '../selection/ticks.ts'
import { type Group, type Groups, toGroupState } from './groups.ts'
import { mergeAnswers } from './merge.ts'
import { MANY, openPlanning, type Plan, type Press } from './plan.ts'
import type { Entry, Writing } from './write-many.ts'

/** Content of the confirmation dialog. */
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

export function openSending(options: SendingOptions) {
  const { bundle, criteria, annotation, counters, pages, ticks, form, jobs, groups, writing } = options
  const { makePlan, jobAnswers, ofEachRecord, hidesQuestions } = openPlanning(options)
  const asking = shallowRef<Asking | null>(null)
  let isPlanning = false

  async function send(status: ResponseStatus | null): Promise<void> {
    const isBusy = isPlanning || asking.value !== null || jobs.pressed.value !== null
    if (isBusy || ticks.count.value === 0) return
    if (status === 'submitted' && !form.check()) return
    const press = { status, selection: ticks.selection.value, answers: form.answers.value, criteria: criteria.value }
    // Blocks a second press while the rest of the list is loaded, so that records are not answered twice.
    isPlanning = true
    try {
      goOrAsk(press, await makePlan(press))
    } catch (error) {
      jobs.problem.value = describeProblem(error)
    } finally {
      isPlanning = false
    }
  }

  function goOrAsk(press: Press, plan: Plan): void {
    const count = plan.items.length + (plan.targets?.expected_total ?? 0)
    if (count <= MANY && !hidesQuestions(press, plan)) return void carryOut(press, plan)
    const go = () => void carryOut(press, plan)
    asking.value = { count, status: press.status, lines: linesFor(press, plan), go }
  }

  function linesFor(press: Press, { targets }: Plan): Asking['lines'] {
    if (press.status === null) return []
    const answers = targets ? jobAnswers(press) : press.answers
    return bundle.value.questions.flatMap((question: Question) => {
      const answer = answers[question.name]
      return answer ? [{ title: question.title, text: widgetOf(question).summarize(answer.value, question) }] : []
    })
  }

  function entryFor(item: QueueItem, { status, answers }: Press): Entry {
    const { questions } = bundle.value
    const marked = ofEachRecord().length > 0 ? annotation.forms.open(item).answers : {}
    const of = { stored: answersOf(item.response), marked }
    return { item, status, answers: status === null ? {} : mergeAnswers(of, answers, questions, widgetOf) }
  }

  async function carryOut(press: Press, { items, targets }: Plan): Promise<void> {
    // Another job may have started while the list was loaded or the confirmation was open.
    if (targets && jobs.pressed.value !== null) {
      jobs.problem.value = t('bulk.busy')
      return
    }
    // Written to the outbox before the job starts, because the page may be closed while it runs.
    const written = writeItems(press, items)
    const beginning = targets && jobs.begin({ ...targets, action: actionFor(press) }, press.status ?? 'pending')
    const step = toStep(press, written, beginning)
    if (items.length > 0) annotation.stack.push(step)
    const begun = beginning && (await beginning)
    if (targets && !begun) return restFailed(press, written, targets.expected_total)
    if (items.length === 0) annotation.stack.push(step)
    if (step.isDone()) clearSent(press, items)
    const job = begun && (await begun.ended)
    // The user has left the page; the job is resumed when they come back.
    if (begun && !job) return
    if (job) afterJob(job)
    if (step.isDone()) annotation.lastDone.value = { status: press.status, count: written.count() + (job?.done ?? 0) }
  }

  function writeItems(press: Press, items: readonly QueueItem[]) {
    const forward = items.map(item => entryFor(item, press))
    const back = items.map(item => ({ item, status: item.response?.status ?? null, answers: answersOf(item.response) }))
    writing.writeAll(forward)
    const keeping = keepGroup(back)
    return {
      undo: () => {
        writing.writeAll(back)
        keeping.forget()
      },
      redo: () => {
        writing.writeAll(forward)
        keeping.keep()
      },
      ids: items.map(({ record }) => record.id),
      /** Excludes records that the server has refused so far. */
      count: () => items.filter(({ record }) => !writing.failures.has(record.id)).length,
    }
  }
  type Written = ReturnType<typeof writeItems>

  function toStep(press: Press, written: Written, beginning: Promise<Begun | null> | null) {
    const jobStep = beginning && toJobStep(beginning.then(begun => begun?.id ?? null))
    let isDone = true
    return {
      isDone: () => isDone,
      undo: () => {
        isDone = false
        annotation.lastDone.value = null
        written.undo()
        form.answers.value = press.answers
        if (!jobStep) ticks.set(press.selection)
        jobStep?.undo()
      },
      redo: () => {
        isDone = true
        ticks.clear()
        form.clear()
        written.redo()
        jobStep?.redo()
      },
    }
  }

  /**
   * Clears the selection and the form after sending, unless the user has changed them in the meantime. Refused records stay
   * selected.
   */
  function clearSent(press: Press, items: readonly QueueItem[]): void {
    if (isSameSelection(ticks.selection.value, press.selection)) {
      ticks.clear()
      ticks.add(items.map(({ record }) => record.id).filter(id => writing.failures.has(id)))
    }
    if (form.answers.value === press.answers) form.clear()
  }

  /** The job could not be started: its records stay selected, those written through the outbox are deselected. */
  function restFailed({ status, selection }: Press, written: Written, restCount: number): void {
    if (written.ids.length > 0) {
      jobs.problem.value = t('bulk.rest_not_saved', { count: restCount, reason: jobs.problem.value })
      annotation.lastDone.value = { status, count: written.count() }
    }
    if (selection.kind === 'some' && isSameSelection(ticks.selection.value, selection))
      ticks.set(withTicks(selection, written.ids, false))
    void pages.load()
  }

  /** Stores the written answers as a group, so that they can be undone after a reload. */
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

  function actionFor(press: Press): BulkRequest['action'] {
    const { status } = press
    if (status === null) return { type: 'return_to_pending' }
    // Safe cast: widgets create values of their question's type.
    return { type: 'respond', status, values: toValues(jobAnswers(press)) } as BulkRequest['action']
  }

  const toJobStep = (begun: Promise<string | null>) => openJobStep(begun, jobs, afterJob)

  /** Records that failed stay selected, with the reason on each card. */
  function afterJob({ failures }: BulkJob): void {
    for (const { record_id, reason, code, at = [] } of failures) {
      const words = describeRefusal({ ...(code && { code }), message: withoutPath(reason, at) })
      writing.failures.set(record_id, t('bulk.not_saved', { reason: words }))
    }
    ticks.add(failures.map(({ record_id }) => record_id))
    void counters.refresh().catch(() => null)
    void pages.load()
  }

  return { asking, send, afterJob, toJobStep: (jobId: string) => toJobStep(Promise.resolve(jobId)) }
}

export type Sending = ReturnType<typeof openSending>
