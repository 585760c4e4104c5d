/** UI properties of the metadata types. */
import type { MetadataProperty } from '@postil/domain/metadata-properties'

type Settings = MetadataProperty['settings']

interface MetadataKind {
  /** Filter control: a list of terms or a range of numbers. */
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

/** Returns the terms that a property allows; null if it allows any term. */
export const termsOf = (settings: Settings): readonly unknown[] | null => ('values' in settings ? settings.values : null)
