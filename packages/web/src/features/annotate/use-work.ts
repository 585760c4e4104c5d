/** One user's work on one dataset: the queue, the answers, the counters and the updates. */
import { ConnectionError } from '@postil/client'
import { WINDOW_SIZE, windowStart } from '@postil/domain/api/first-calls'
import { computed, onBeforeUnmount, type Ref, ref, watch } from 'vue'
import { loadAhead } from '../../components/lazy.ts'
import type { DatasetBundle } from '../../datasets/dataset-bundle.ts'
import type { PrepareContext } from '../../fields/field-viewer.ts'
import { type ImageHosts, provideImageHosts } from '../../fields/image-hosts.ts'
import { fieldViewerOf } from '../../fields/registry.ts'
import { outboxOf } from '../../outbox/my-outbox.ts'
import { viewsOf } from '../../questions/views-of.ts'
import type { Session } from '../../session/session.ts'
import { useSession } from '../../session/use-session.ts'
import { loadNewVersionWhenSafe } from '../../shell/new-version.ts'
import { toHosts } from '../../web-address.ts'
import { whenIdle } from '../../when-idle.ts'
import { notesOf } from './drawers/notes.ts'
import { openAnnotation } from './form/annotation.ts'
import { openCounters } from './queue/counters.ts'
import { fetchRecords } from './queue/fetch-records.ts'
import { keepPage } from './queue/kept-records.ts'
import { useMyPace } from './queue/my-pace.ts'
import { pinRecord } from './queue/pin-record.ts'
import { openRecordQueue, type RecordQueue } from './queue/record-queue.ts'
import { useNews } from './use-news.ts'
import type { WorkPlace } from './use-place.ts'
import { useReadOn } from './use-read-on.ts'

interface Options {
  bundle: Readonly<Ref<DatasetBundle>>
  at: WorkPlace
  onSettingsChanged(): void
  onDeleted(): void
}

export function useWork({ bundle, at, onSettingsChanged, onDeleted }: Options) {
  const session = useSession()
  const { criteria, criteriaKey, queueName, place, isBulk } = at
  const { waiting } = outboxOf(session)
  const problem = ref<unknown>(null)
  const hosts = useDatasetHosts(session, bundle)
  const views = loadViews(bundle.value)
  const queue: RecordQueue = openRecordQueue(
    async (offset, limit) => {
      const [name, isFirst] = [queueName.value, !queue.isLoaded.value]
      const found = await fetchRecords(session, bundle.value.dataset.id, criteria.value, offset, limit)
      // Stores the page, so that the application can start offline.
      const page = await keepPage(session, found, name, isFirst)
      await views
      problem.value = null
      return page
    },
    error => {
      problem.value = error
    },
    () => waiting.value,
  )
  const counters = openCounters(session, bundle.value, useMyPace(session, bundle.value.dataset.id))
  const annotation = openAnnotation({
    session,
    bundle,
    queue,
    queueName,
    onMoved: () => {
      at.follow(queue.serverPosition.value)
      void loadNewVersionWhenSafe({ isSafe: () => waiting.value === 0 && !annotation.form.value?.isEdited })
    },
    onWritten: (after, before, { record }) => counters.count(before, after, record),
    onDatasetGone: onDeleted,
  })
  useNews({ annotation, counters, queue, onSettingsChanged, onJobEnded: renew, onDeleted })
  onBeforeUnmount(annotation.close)

  async function load() {
    problem.value = null
    // The bulk view loads its own pages.
    if (isBulk.value) return
    try {
      await queue.load(place.value.position)
      if (place.value.recordId) await pinRecord(session, place.value.recordId, bundle.value, queue)
      queue.fill()
    } catch (error) {
      problem.value = error
    }
  }
  // Also reloads if the new place equals the previous one, because the user may have moved on since.
  watch([criteriaKey, isBulk, place], () => void load(), { immediate: true })
  /**
   * Reads the current records again, because labels may have been merged or removed. None of them moves, and edited forms stay.
   */
  async function readAgain(): Promise<void> {
    const { pendingFor } = outboxOf(session)
    const first = windowStart(queue.serverPosition.value)
    const { items } = await fetchRecords(session, bundle.value.dataset.id, criteria.value, first, WINDOW_SIZE)
    const settled = items.filter(({ record }) => !pendingFor(record.id))
    queue.renew(settled)
    for (const { record } of settled) {
      const item = queue.find(record.id)
      if (item) annotation.forms.renew(item)
    }
  }
  let isReading = false
  let isStale = false
  async function renew(): Promise<void> {
    isStale = true
    if (isReading || !queue.isLoaded.value) return
    isReading = true
    try {
      while (isStale) {
        isStale = false
        await readAgain()
      }
    } catch (error) {
      problem.value = error
    } finally {
      isReading = false
    }
  }
  watch(bundle, renew)

  async function goTo(position: number): Promise<void> {
    if (!(await at.goTo(position))) await load()
  }
  useReadOn(problem, () => {
    if (queue.isLoaded.value) queue.fill()
    else void load()
  })
  prepareAhead({ session, hosts }, bundle, queue)
  watch(queue.items, items => void notesOf(session).load(items.slice(queue.index.value).map(({ record }) => record.id)))

  /** Without a network the user can continue while there are records; a line at the top shows the state. */
  const isStopped = computed(
    () => problem.value !== null && !(queue.current.value !== null && problem.value instanceof ConnectionError),
  )
  return { queue, counters, annotation, problem, isStopped, load, goTo }
}

/** Image hosts that the user allowed in this dataset are stored in this browser. */
function useDatasetHosts({ items }: Session, bundle: Readonly<Ref<DatasetBundle>>): ImageHosts {
  const name = `image-hosts.${bundle.value.dataset.id}`
  return provideImageHosts({
    shared: () => bundle.value.options.imageHosts,
    personal: { read: () => toHosts(items.read(name)), keep: hosts => items.keep(name, hosts) },
  })
}

/**
 * Preloads the components for the fields and questions of this dataset. One that fails to load shows the error in its own panel.
 */
const loadViews = ({ fields, questions }: DatasetBundle) =>
  loadAhead([...fields.map(field => fieldViewerOf(field).view), ...viewsOf(questions)]).catch(() => undefined)

/** Prepares upcoming records when the browser is idle: decodes images, parses Markdown. */
function prepareAhead(desk: PrepareContext, bundle: Readonly<Ref<DatasetBundle>>, queue: RecordQueue): void {
  watch(queue.upcoming, items => {
    whenIdle(() => {
      for (const { record } of items)
        for (const field of bundle.value.fields) fieldViewerOf(field).prepare?.(record.fields[field.name], field, desk)
    })
  })
}
