/** Generates the part of docs/reference/events.md about the change feed: every event with the properties of its entries. */
import {
  FEED,
  FEED_COMMON,
  FEED_EXTRA,
  FEED_IDS_MAX,
  FEED_LIMIT_MAX,
  FEED_NAMES,
  FEED_WAIT_SECONDS_MAX,
  feedSchema,
} from '@postil/domain/change-feed'
import type { TSchema } from '@postil/domain/schema'
import { toMarkdownTable } from './reference-table.ts'

const numberText = (value: number) => value.toLocaleString('en')

type Properties = typeof FEED_COMMON

const propertiesTable = (properties: Properties) =>
  toMarkdownTable(
    ['Property', 'Type', 'What it says'],
    Object.entries(properties).map(([name, { schema, about }]) => [`\`${name}\``, typeOf(schema), about]),
  )

export function feedSections(): string[] {
  const schemas = FEED_NAMES.map(name => JSON.stringify(feedSchema(name)))
  return [
    '## Change feed',
    `Entries of \`GET /api/v1/datasets/:dataset_id/events\`, for owners and for admins of the workspace. An answer has up to \`limit\` entries (${numberText(FEED_LIMIT_MAX)} at most), and ends earlier after the entry with which it has ${numberText(FEED_IDS_MAX)} ids. \`wait\` may be up to ${FEED_WAIT_SECONDS_MAX} seconds. How to follow it: [the guide](../guide/change-feed.md).`,
    'Every entry has `event`, the name of the event, and:',
    propertiesTable(FEED_COMMON),
    'Entries of some events have besides:',
    propertiesTable(FEED_EXTRA),
    toMarkdownTable(
      ['Event', 'When', 'Has besides'],
      FEED_NAMES.map(name => [`\`${name}\``, FEED[name].when, FEED[name].has.map(property => `\`${property}\``).join(', ')]),
    ),
    'The JSON schema of the entries of each event, one a line:',
    ['```json', ...schemas, '```'].join('\n'),
  ]
}

interface AnySchema {
  type?: string
  format?: string
  enum?: string[]
  items?: AnySchema
  anyOf?: AnySchema[]
  'x-format'?: string
}

const typeOf = (schema: TSchema): string => toText(schema as AnySchema)

function toText(schema: AnySchema): string {
  if (schema.anyOf) return schema.anyOf.map(toText).join(' or ')
  if (schema.enum) return schema.enum.map(word => `\`"${word}"\``).join(', ')
  if (schema.type === 'array') return `list of ${toText(schema.items ?? {})}`
  return schema.format ?? schema['x-format'] ?? schema.type ?? 'any JSON'
}
