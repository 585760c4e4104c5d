/** What the pages need to know of a metadata type. */
import type { MetadataProperty } from '@postil/domain/metadata-properties'

type Settings = MetadataProperty['settings']

interface MetadataKind {
  /** Picked from a list, or a range of numbers. */
  control: 'terms' | 'range'
  isWhole: boolean
  scale: 'text' | 'number'
}

const KINDS: Record<Settings['type'], MetadataKind> = {
  terms: { control: 'terms', isWhole: false, scale: 'text' },
  integer: { control: 'range', isWhole: true, scale: 'number' },
  float: { control: 'range', isWhole: false, scale: 'number' },
}

export const metadataKindOf = ({ type }: Pick<Settings, 'type'>): MetadataKind => KINDS[type]

/** The terms that a property allows; null where any is. */
export const termsOf = (settings: Settings): readonly unknown[] | null => ('values' in settings ? settings.values : null)
