/** The selected records, and the current record for the keyboard. */
import { computed, ref, shallowRef, watch } from 'vue'
import type { QueueItem } from '../../queue/record-queue.ts'
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
  /** The record that the list scrolls into view and focuses. */
  const wanted = shallowRef<{ id: string } | null>(null)
  /** Start of a range, as a position in the whole list. */
  let anchor: number | null = null
  /** Direction in which the keyboard moved past the end of the page; null otherwise. */
  let arriving: 1 | -1 | null = null

  const ids = computed(() => pages.items.value.map(({ record }) => record.id))
  const count = computed(() => countTicked(selection.value, pages.total.value))
  const box = computed(() => pageState(selection.value, ids.value, pages.total.value))
  /** The selected records; null if some of them are not loaded. */
  const items = computed((): QueueItem[] | null => {
    if (selection.value.kind === 'all') return null
    const found = [...selection.value.ids].flatMap(id => pages.find(id) ?? [])
    return found.length === selection.value.ids.size ? found : null
  })
  /** As `items`, also if all are selected and stand on one page. */
  const allItems = computed(() => {
    if (selection.value.kind === 'some') return items.value
    const onPage = pages.items.value
    return onPage.length === pages.total.value ? onPage.filter(({ record }) => isTicked(selection.value, record.id)) : null
  })

  watch(pages.key, clear)
  watch(pages.version, arrive)

  function arrive(): void {
    if (current.value !== null && ids.value.includes(current.value)) return
    // No record is current until the user moves to one.
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

  /** Moves to the next record, also past the end of the page. */
  function move(step: 1 | -1): boolean {
    anchor = null
    const next = current.value === null ? ids.value[0] : neighbour(step)
    if (next !== undefined) return goTo(next)
    if (!turnPage(step)) return false
    arriving = step
    return true
  }

  /** Extends the selected range by one record, or shrinks it if the direction changes. */
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

  /** Selects the page; if the page is already selected, all matching records. */
  function all(): void {
    selection.value = box.value === 'all' ? EVERYTHING : withTicks(selection.value, ids.value, true)
  }

  function tickCurrent(): void {
    if (current.value !== null) void tick(current.value, false)
  }

  /** Adds these records to the selection. */
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
  const state = { selection, current, wanted, count, box, items, allItems, isTicked: isOn }
  return { ...state, tick, tickCurrent, add, set, togglePage, all, everything, clear, move, extend, focus: goTo }
}

export type Ticks = ReturnType<typeof openTicks>
