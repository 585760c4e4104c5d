/** Some records at once, through the outbox as single answers go: shown as done at once, put back where the server refuses. */
import type { ResponseStatus } from '@postil/domain/responses'
import { onScopeDispose, type Ref, shallowReactive, watch } from 'vue'
import { t } from '../../../i18n/i18n.ts'
import { outboxOf } from '../../../outbox/my-outbox.ts'
import type { Annotation } from '../annotation.ts'
import type { Answers } from '../answers.ts'
import type { Queue } from '../find/criteria.ts'
import type { QueueItem } from '../record-queue.ts'
import type { Pages } from './pages.ts'
import type { Ticks } from './ticks.ts'

export interface Entry {
  item: QueueItem
  status: ResponseStatus | null
  answers: Answers
}

interface Options {
  queue: Readonly<Ref<Queue>>
  annotation: Annotation
  pages: Pages
  ticks: Ticks
}

/** Places come before the reason: `at values.topic.value: …`. */
const withoutPlace = (message: string) => message.replace(/^at \S+: /, '')

export function openWriting({ queue, annotation, pages, ticks }: Options) {
  /** Record id -> why it was not saved, in words. */
  const failures = shallowReactive(new Map<string, string>())
  /** Refused ones stay in view, also where they have left the server's list. */
  const refused = new Map<string, QueueItem>()
  const sent = new Map<string, QueueItem>()

  function writeAll(entries: readonly Entry[]): void {
    for (const { item, status, answers } of entries) {
      item.response = annotation.write(item, status, answers)
      sent.set(item.record.id, item)
      failures.delete(item.record.id)
      refused.delete(item.record.id)
    }
    const isHere = ({ status }: Entry) => (status ?? 'pending') === queue.value
    pages.leave(new Set(entries.filter(entry => !isHere(entry)).map(({ item }) => item.record.id)))
    pages.comeBack(entries.filter(isHere).map(({ item }) => item))
  }

  /** What was said to be done is one less. */
  function countOut(): void {
    const done = annotation.lastDone.value
    if (done) annotation.lastDone.value = done.count > 1 ? { ...done, count: done.count - 1 } : null
  }

  function settle(recordId: string): void {
    if (sent.delete(recordId) && sent.size === 0) void pages.load()
  }

  const stop = outboxOf(annotation.session).listen({
    onSaved: ({ recordId }) => settle(recordId),
    onRefused: ({ recordId }, { kind, message, current }) => {
      const item = sent.get(recordId)
      if (!item) return
      item.response = current ?? item.record.responses?.[0] ?? null
      refused.set(recordId, item)
      failures.set(recordId, kind === 'conflict' ? t('bulk.conflict') : t('annotate.refused', { message: withoutPlace(message) }))
      countOut()
      pages.comeBack([item])
      ticks.add([recordId])
      settle(recordId)
    },
  })
  onScopeDispose(stop)
  watch(pages.key, () => {
    failures.clear()
    refused.clear()
  })
  watch(pages.version, () => pages.comeBack([...refused.values()]))

  return { failures, writeAll }
}

export type Writing = ReturnType<typeof openWriting>
