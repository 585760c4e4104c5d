/** Which records are ticked, and which one the keys are at. */
import { computed, ref, shallowRef, watch } from 'vue'
import type { QueueItem } from '../record-queue.ts'
import type { Pages } from './pages.ts'
import {
  countTicked,
  EVERYTHING,
  isTicked,
  NOTHING,
  pageState,
  positionsBetween,
  type Selection,
  withTicks,
} from './selection.ts'

export function openTicks(pages: Pages, turnPage: (step: 1 | -1) => boolean) {
  const selection = shallowRef<Selection>(NOTHING)
  const current = ref<string | null>(null)
  /** The list brings it into view and gives it the focus. */
  const wanted = shallowRef<{ id: string } | null>(null)
  /** Where a range begins: a position in the whole list. */
  let anchor: number | null = null
  /** The page was turned by walking over its end. */
  let arriving: 1 | -1 | null = null

  const ids = computed(() => pages.items.value.map(({ record }) => record.id))
  const count = computed(() => countTicked(selection.value, pages.total.value))
  const box = computed(() => pageState(selection.value, ids.value, pages.total.value))
  /** Null when not all of them are at hand. */
  const items = computed((): QueueItem[] | null => {
    if (selection.value.kind === 'all') return null
    const found = [...selection.value.ids].flatMap(id => pages.find(id) ?? [])
    return found.length === selection.value.ids.size ? found : null
  })

  watch(pages.key, clear)
  watch(pages.version, arrive)

  function arrive(): void {
    if (current.value !== null && ids.value.includes(current.value)) return
    // Nothing is marked before the person has gone to it.
    const arrived = arriving === null ? undefined : arriving === 1 ? ids.value[0] : ids.value.at(-1)
    current.value = arrived ?? null
    if (arrived !== undefined) wanted.value = { id: arrived }
    arriving = null
  }

  function clear(): void {
    selection.value = NOTHING
    anchor = null
  }

  async function tick(id: string, isRange: boolean): Promise<void> {
    const isOn = !isTicked(selection.value, id)
    const at = pages.positionOf(id)
    const from = anchor
    current.value = id
    anchor = at
    selection.value = withTicks(selection.value, [id], isOn)
    if (!isRange || from === null || at === null) return
    const between = await pages.range(from, at)
    selection.value = withTicks(
      selection.value,
      between.map(({ record }) => record.id),
      isOn,
    )
  }

  const neighbour = (step: 1 | -1) => ids.value[ids.value.indexOf(current.value ?? '') + step]

  function goTo(id: string): true {
    current.value = id
    wanted.value = { id }
    return true
  }

  /** Over the end of a page to the next. */
  function move(step: 1 | -1): boolean {
    anchor = null
    const next = current.value === null ? ids.value[0] : neighbour(step)
    if (next !== undefined) return goTo(next)
    if (!turnPage(step)) return false
    arriving = step
    return true
  }

  /** A range that grows with one end and shrinks when it turns back. */
  function extend(step: 1 | -1): boolean {
    const next = neighbour(step)
    const first = pages.positionOf(ids.value[0] ?? '')
    const at = current.value === null ? null : pages.positionOf(current.value)
    if (next === undefined || first === null || at === null) return false
    const isHere = anchor !== null && anchor >= first && anchor < first + ids.value.length
    const from = isHere && anchor !== null ? anchor : at
    const idsTo = (end: number) => positionsBetween(from, end).flatMap(position => ids.value[position - first] ?? [])
    selection.value = withTicks(withTicks(selection.value, idsTo(at), false), idsTo(at + step), true)
    goTo(next)
    anchor = from
    return true
  }

  /** The page, and with the page ticked all that match. */
  function all(): void {
    selection.value = box.value === 'all' ? EVERYTHING : withTicks(selection.value, ids.value, true)
  }

  function tickCurrent(): void {
    if (current.value !== null) void tick(current.value, false)
  }

  /** These are ticked too. */
  function add(more: readonly string[]): void {
    selection.value = withTicks(selection.value, more, true)
  }

  function set(next: Selection): void {
    selection.value = next
  }

  function togglePage(): void {
    if (selection.value.kind === 'all') clear()
    else selection.value = withTicks(selection.value, ids.value, box.value !== 'all')
  }

  const everything = () => set(EVERYTHING)
  const isOn = (id: string) => isTicked(selection.value, id)
  const state = { selection, current, wanted, count, box, items, isTicked: isOn }
  return { ...state, tick, tickCurrent, add, set, togglePage, all, everything, clear, move, extend, focus: goTo }
}

export type Ticks = ReturnType<typeof openTicks>
