import { afterEach, expect, test, vi } from 'vitest'
import { computed, effectScope, nextTick, shallowRef } from 'vue'
import type { QueueItem } from './record-queue.ts'
import { useShownRecords } from './shown-records.ts'

const item = (id: string) => ({ record: { id } }) as QueueItem
const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(item) as [QueueItem, QueueItem, QueueItem, QueueItem]

afterEach(() => {
  vi.unstubAllGlobals()
})

function open(list: readonly QueueItem[] = [a, b, c, d]) {
  const idle: (() => void)[] = []
  vi.stubGlobal('requestIdleCallback', (run: () => void) => idle.push(run))
  const queue = shallowRef(list)
  const items = computed(() => queue.value)
  const index = shallowRef(0)
  const current = computed(() => items.value[index.value] ?? null)
  const upcoming = computed(() => items.value.slice(index.value + 1, index.value + 4))
  const shown = effectScope().run(() => useShownRecords({ items, current, upcoming })) ?? computed(() => [])
  const ids = () => shown.value.map(({ record }) => record.id).join('')
  const rest = async () => {
    for (const run of idle.splice(0)) run()
    await nextTick()
  }
  const go = async (to: number) => {
    index.value = to
    await nextTick()
  }
  return { queue, shown, ids, rest, go, idle }
}

test('the next record is drawn once the browser is idle', async () => {
  const { ids, rest } = open()
  expect(ids()).toBe('a')
  await rest()
  expect(ids()).toBe('ab')
})

test('a step draws and removes nothing until the browser is idle', async () => {
  const { ids, rest, go } = open()
  await rest()
  await go(1)
  expect(ids()).toBe('ab')
  await rest()
  expect(ids()).toBe('bc')
})

test('a step back keeps the order of the queue, so that nothing is moved on the page', async () => {
  const { ids, rest, go } = open()
  await go(2)
  await rest()
  expect(ids()).toBe('cd')
  await go(1)
  expect(ids()).toBe('bc')
  await rest()
  expect(ids()).toBe('bc')
})

test('many steps without a pause leave one record behind, not all of them', async () => {
  const { ids, rest, go, idle } = open()
  for (const to of [1, 2, 3]) await go(to)
  expect(ids()).toBe('cd')
  expect(idle).toHaveLength(1)
  await rest()
  expect(ids()).toBe('d')
})

test('a record that was read again takes the place of its earlier copy', async () => {
  const { queue, shown, ids, rest, go } = open()
  await rest()
  const again = item('a')
  queue.value = [b, again, c]
  await go(1)
  expect(ids()).toBe('ba')
  expect(shown.value[1]).toBe(again)
  await rest()
  expect(ids()).toBe('ac')
})

test('past the last record nothing stays', async () => {
  const { ids, rest, go } = open([a])
  await rest()
  await go(1)
  expect(ids()).toBe('a')
  await rest()
  expect(ids()).toBe('')
})
