/** The selected records: either some by id, across pages, or all that match except some. */

export type Selection =
  | { readonly kind: 'some'; readonly ids: ReadonlySet<string> }
  | { readonly kind: 'all'; readonly except: ReadonlySet<string> }

export const NOTHING: Selection = { kind: 'some', ids: new Set() }
export const EVERYTHING: Selection = { kind: 'all', except: new Set() }

export const isTicked = (selection: Selection, id: string): boolean =>
  selection.kind === 'some' ? selection.ids.has(id) : !selection.except.has(id)

/** Selects or deselects these records. */
export function withTicks(selection: Selection, ids: Iterable<string>, isOn: boolean): Selection {
  const listed = new Set(selection.kind === 'some' ? selection.ids : selection.except)
  const isListed = (selection.kind === 'some') === isOn
  for (const id of ids) {
    if (isListed) listed.add(id)
    else listed.delete(id)
  }
  return selection.kind === 'some' ? { kind: 'some', ids: listed } : { kind: 'all', except: listed }
}

export const countTicked = (selection: Selection, total: number): number =>
  selection.kind === 'some' ? selection.ids.size : Math.max(0, total - selection.except.size)

const listedIn = (selection: Selection) => (selection.kind === 'some' ? selection.ids : selection.except)

export function isSameSelection(one: Selection, other: Selection): boolean {
  const [ids, others] = [listedIn(one), listedIn(other)]
  return one.kind === other.kind && ids.size === others.size && [...ids].every(id => others.has(id))
}

export type PageState = 'none' | 'some' | 'all'

/**
 * State of the check box above the list: checked, unchecked or indeterminate. Selected records on other pages make it
 * indeterminate.
 */
export function pageState(selection: Selection, ids: readonly string[], total: number): PageState {
  const ticked = ids.filter(id => isTicked(selection, id)).length
  if (ticked === ids.length && ids.length > 0) return 'all'
  return countTicked(selection, total) > 0 ? 'some' : 'none'
}

/** Returns all positions between two, in either direction. */
export function positionsBetween(from: number, to: number): number[] {
  const [first, last] = from < to ? [from, to] : [to, from]
  return Array.from({ length: last - first + 1 }, (_, i) => first + i)
}

/** Returns the runs of positions whose records are not loaded, as `[offset, limit]`. */
export function missingRuns(
  positions: readonly number[],
  isKnown: (position: number) => boolean,
  max: number,
): [number, number][] {
  const runs: [number, number][] = []
  for (const position of positions) {
    if (isKnown(position)) continue
    const last = runs.at(-1)
    if (last && last[0] + last[1] === position && last[1] < max) last[1]++
    else runs.push([position, 1])
  }
  return runs
}
