/** Many records at once: the list, what is ticked, the one form, and what happens to the ticked. */
import { type Ref, toRef } from 'vue'
import type { DatasetBundle } from '../../../datasets/dataset-bundle.ts'
import type { Annotation } from '../annotation.ts'
import { areSame, startAnswers } from '../answers.ts'
import type { CounterBoard } from '../counters.ts'
import type { Criteria } from '../find/criteria.ts'
import type { Place } from '../find/url-state.ts'
import type { QueueItem } from '../record-queue.ts'
import { openAccepting } from './accepting.ts'
import { openBulkForm } from './bulk-form.ts'
import { openGroups } from './groups.ts'
import { openJobs } from './jobs.ts'
import { openPages } from './pages.ts'
import { openSending } from './sending.ts'
import { openTicks } from './ticks.ts'
import { openWriting } from './write-many.ts'

export interface BulkOptions {
  bundle: Readonly<Ref<DatasetBundle>>
  criteria: Readonly<Ref<Criteria>>
  place: Readonly<Ref<Place>>
  annotation: Annotation
  counters: CounterBoard
  /** Another page, or another number of records on each. */
  onPlace(place: Pick<Place, 'position' | 'bulkSize'>, isStep: boolean): void
  onCriteria(criteria: Criteria): void
}

export function openBulk(options: BulkOptions) {
  const { bundle, criteria, place, annotation, counters, onPlace, onCriteria } = options
  const queue = toRef(() => criteria.value.queue)
  const show = (position: number, isStep: boolean) => onPlace({ position, bulkSize: place.value.bulkSize }, isStep)

  const pages = openPages({
    session: annotation.session,
    datasetId: () => bundle.value.dataset.id,
    criteria,
    place,
    onFetched: learn,
    onPastEnd: position => show(position, false),
  })
  const ticks = openTicks(pages, turnPage)
  const form = openBulkForm({ bundle, queue, annotation, ticks })
  const jobs = openJobs(annotation.session.api, () => bundle.value.dataset.id)
  const writing = openWriting({ queue, annotation, pages, ticks })
  const groups = openGroups(annotation.session.database, bundle.value.dataset.id)
  const parts = { bundle, criteria, annotation, counters, pages, ticks, form, jobs, groups, writing }
  const sending = openSending(parts)
  const onTaken = () => onCriteria({ ...criteria.value, queue: 'draft' })
  const accepting = openAccepting({ ...parts, sending, onTaken })

  /** A job may have changed what was written from here. */
  function learn(items: readonly QueueItem[]): void {
    annotation.learn(items)
    const { questions, options: set } = bundle.value
    for (const { record, response } of items) {
      const known = annotation.forms.peek(record.id)
      if (!known || known.isEdited) continue
      const now = startAnswers(record, response, questions, set.suggestions)
      if (!areSame(known.original, now, questions)) annotation.forms.forget(record.id)
    }
  }

  function turnPage(step: 1 | -1): boolean {
    const position = place.value.position + step * pages.size.value
    const isThere = step === 1 ? position < pages.total.value : place.value.position > 0
    if (isThere) show(Math.max(0, position), true)
    return isThere
  }

  async function resume(): Promise<void> {
    const job = await jobs.resume()
    if (!job) return
    sending.afterJob(job)
    if (job.type === 'undo') return
    annotation.lastDone.value = { status: job.response_status, count: job.done }
    annotation.stack.push(sending.toJobStep(job.id))
  }
  void resume()

  return {
    pages,
    ticks,
    form,
    jobs,
    failures: writing.failures,
    asking: sending.asking,
    send: sending.send,
    accepting,
    turnPage,
    /** The record at the top stays on the page. */
    setSize: (bulkSize: number) => onPlace({ position: Math.floor(place.value.position / bulkSize) * bulkSize, bulkSize }, true),
  }
}

export type Bulk = ReturnType<typeof openBulk>
