/** Available sort keys, and changes to the list of sort keys. */
import { metadataKindOf } from '../../../../metadata/kinds.ts'
import { answerFilterOf } from '../../../../questions/filters.ts'
import type { FilterGroup, Offering } from '../filters/offers.ts'
import type { SortKey } from '../query/criteria.ts'

export type SortTarget = Omit<SortKey, 'order'>
/** Determines the names of both directions, for example oldest, lowest, A. */
export type Scale = 'time' | 'number' | 'text'

export interface SortOffer {
  id: string
  target: SortTarget
  group: FilterGroup
  scale: Scale
}

export const KEYS_MAX = 10

export const idOf = ({ of, name, property }: SortTarget) => JSON.stringify([of, property, name])

const offer = (of: SortTarget['of'], name: string, property: SortTarget['property'], scale: Scale): SortOffer => ({
  id: idOf({ of, name, property }),
  target: { of, name, property },
  group: of,
  scale,
})

export function sortOffers({ questions, metadataProperties }: Offering, isLead: boolean): SortOffer[] {
  const ordered = questions.filter(question => answerFilterOf(question).canSort)
  return [
    offer('record', 'inserted_at', 'value', 'time'),
    offer('record', 'updated_at', 'value', 'time'),
    ...metadataProperties
      .filter(({ visible_for_annotators }) => isLead || visible_for_annotators)
      .map(({ name, settings }) => offer('metadata', name, 'value', metadataKindOf(settings).scale)),
    ...questions.map(({ name }) => offer('suggestion', name, 'score', 'number')),
    ...ordered.map(({ name }) => offer('suggestion', name, 'value', 'number')),
    ...ordered.map(({ name }) => offer('response', name, 'value', 'number')),
  ]
}

/** Returns the keys that are not in use, because each key can be used once. */
export const freeOffers = (offers: readonly SortOffer[], keys: readonly SortKey[], except?: SortKey): SortOffer[] => {
  const taken = new Set(keys.filter(key => key !== except).map(idOf))
  return offers.filter(({ id }) => !taken.has(id))
}

export const newKey = ({ target }: SortOffer): SortKey => ({ ...target, order: 'asc' })

export const replaced = (keys: readonly SortKey[], index: number, key: SortKey): SortKey[] => keys.toSpliced(index, 1, key)
export const removed = (keys: readonly SortKey[], index: number): SortKey[] => keys.toSpliced(index, 1)

export function moved(keys: readonly SortKey[], index: number, step: 1 | -1): SortKey[] {
  const [a, b] = [keys[index], keys[index + step]]
  return a && b ? keys.with(index, b).with(index + step, a) : [...keys]
}
