/** State of the bulk view: the list, the selection, the form and the actions. */
import { type Ref, toRef } from 'vue'
import type { DatasetBundle } from '../../../datasets/dataset-bundle.ts'
import type { Criteria } from '../find/query/criteria.ts'
import type { Place } from '../find/query/url-state.ts'
import type { Annotation } from '../form/annotation.ts'
import { areSame, startAnswers } from '../form/answers.ts'
import type { CounterBoard } from '../queue/counters.ts'
import type { QueueItem } from '../queue/record-queue.ts'
import { openBulkForm } from './bulk-form.ts'
import { openJobs } from './jobs/jobs.ts'
import { openAccepting } from './scores/accepting.ts'
import { openPages } from './selection/pages.ts'
import { openTicks } from './selection/ticks.ts'
import { openGroups } from './sending/groups.ts'
import { openSending } from './sending/sending.ts'
import { openWriting } from './sending/write-many.ts'

export interface BulkOptions {
  bundle: Readonly<Ref<DatasetBundle>>
  criteria: Readonly<Ref<Criteria>>
  place: Readonly<Ref<Place>>
  annotation: Annotation
  counters: CounterBoard
  /** Called with another page or page size. */
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

  /** Drops outdated forms, because a job may have changed the responses of these records. */
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
    /** The first record stays on the page. */
    setSize: (bulkSize: number) => onPlace({ position: Math.floor(place.value.position / bulkSize) * bulkSize, bulkSize }, true),
  }
}

export type Bulk = ReturnType<typeof openBulk>
