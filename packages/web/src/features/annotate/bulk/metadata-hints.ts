/** The first few metadata values of a record, for its line in the list. */
import type { MetadataProperty } from '@postil/domain/metadata-properties'
import type { DatasetRecord } from '@postil/domain/records'

export interface MetadataHint {
  name: string
  title: string
  text: string
}

const HINTS_MAX = 3

export function metadataHints(
  metadata: DatasetRecord['metadata'],
  properties: readonly Pick<MetadataProperty, 'name' | 'title'>[],
): MetadataHint[] {
  return properties
    .flatMap(({ name, title }) => {
      const value = metadata && Object.hasOwn(metadata, name) ? metadata[name] : null
      const text = Array.isArray(value) ? value.join(', ') : String(value ?? '')
      return text === '' ? [] : [{ name, title, text }]
    })
    .slice(0, HINTS_MAX)
}
