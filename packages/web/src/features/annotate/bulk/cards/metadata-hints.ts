/** Returns the first few metadata values of a record, for its card in the list. */
import type { MetadataProperty } from '@postil/domain/metadata-properties'
import type { DatasetRecord } from '@postil/domain/records'
import { type Language, language } from '../../../../i18n/i18n.ts'

export interface MetadataHint {
  name: string
  title: string
  text: string
}

const HINTS_MAX = 3
const DIGITS_MAX = 6

/** Cached, because number formats are slow to create and every card needs them. */
const formats = new Map<string, Intl.NumberFormat>()

function formatOf(locale: Language, isWhole: boolean): Intl.NumberFormat {
  const key = `${locale} ${isWhole}`
  // `min2` omits the separator in numbers of four digits, so that years look like years.
  const options: Intl.NumberFormatOptions = { useGrouping: 'min2', ...(isWhole ? {} : { maximumSignificantDigits: DIGITS_MAX }) }
  const format = formats.get(key) ?? new Intl.NumberFormat(locale, options)
  formats.set(key, format)
  return format
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(', ')
  if (typeof value === 'number') return formatOf(language.value, Number.isInteger(value)).format(value)
  return String(value ?? '')
}

export function metadataHints(
  metadata: DatasetRecord['metadata'],
  properties: readonly Pick<MetadataProperty, 'name' | 'title'>[],
): MetadataHint[] {
  return properties
    .flatMap(({ name, title }) => {
      const text = textOf(metadata && Object.hasOwn(metadata, name) ? metadata[name] : null)
      return text === '' ? [] : [{ name, title, text }]
    })
    .slice(0, HINTS_MAX)
}
