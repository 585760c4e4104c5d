/**
 * Writes several records through the outbox, like single answers: shown as done immediately, and put back if the server refuses.
 */
import type { ResponseStatus } from '@postil/domain/responses'
import { onScopeDispose, type Ref, shallowReactive, watch } from 'vue'
import { outboxOf } from '../../../../outbox/my-outbox.ts'
import { describeNotSaved } from '../../../../outbox/refusal-words.ts'
import type { Queue } from '../../find/query/criteria.ts'
import type { Annotation } from '../../form/annotation.ts'
import type { Answers } from '../../form/answers.ts'
import type { QueueItem } from '../../queue/record-queue.ts'
import type { Pages } from '../selection/pages.ts'
import type { Ticks } from '../selection/ticks.ts'

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

export function openWriting({ queue, annotation, pages, ticks }: Options) {
  /** Reasons why records were not saved, by record id. */
  const failures = shallowReactive(new Map<string, string>())
  /** Refused records stay visible, even if the server no longer lists them in this queue. */
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

  /** Subtracts a refused record from the number that was shown as done. */
  function countOut(): void {
    const done = annotation.lastDone.value
    if (done) annotation.lastDone.value = done.count > 1 ? { ...done, count: done.count - 1 } : null
  }

  function settle(recordId: string): void {
    if (sent.delete(recordId) && sent.size === 0) void pages.load()
  }

  const stop = outboxOf(annotation.session).listen({
    onSaved: ({ recordId }) => settle(recordId),
    onRefused: ({ recordId }, refusal) => {
      const item = sent.get(recordId)
      if (!item) return
      item.response = refusal.current ?? item.record.responses?.[0] ?? null
      refused.set(recordId, item)
      failures.set(recordId, describeNotSaved(refusal))
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
