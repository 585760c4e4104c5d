/** Optional parts of responses about datasets, requested with `include`. */
import { Dataset, DatasetProgress, MyDatasetMetrics } from './datasets.ts'
import { Field } from './fields.ts'
import { listed, quoted } from './message-values.ts'
import { MetadataProperty } from './metadata-properties.ts'
import { Pace } from './pace.ts'
import { Question } from './questions.ts'
import { Id, Int, List, Nullable, Optional, Shape, type Static, Text } from './schema.ts'
import { VectorsSettings } from './vectors.ts'

export const DATASET_INCLUDES = [
  'fields',
  'questions',
  'metadata_properties',
  'vectors_settings',
  'progress',
  'metrics',
  'pace',
  'users',
  'workspace',
  'records_total',
] as const
export type DatasetInclude = (typeof DATASET_INCLUDES)[number]

/** Maximum number of contributors listed; `total` counts all of them. */
export const CONTRIBUTORS_MAX = 8

const Contributor = Shape({ id: Id, username: Text(), first_name: Text(), last_name: Nullable(Text()) })
export type Contributor = Static<typeof Contributor>

export const DatasetWithIncludes = Shape({
  ...Dataset.properties,
  fields: Optional(List(Field)),
  questions: Optional(List(Question)),
  metadata_properties: Optional(List(MetadataProperty)),
  vectors_settings: Optional(List(VectorsSettings)),
  progress: Optional(DatasetProgress),
  metrics: Optional(MyDatasetMetrics),
  pace: Optional(Pace),
  users: Optional(Shape({ items: List(Contributor), total: Int() })),
  workspace: Optional(Shape({ id: Id, name: Text() })),
  records_total: Optional(Int()),
})
export type DatasetWithIncludes = Static<typeof DatasetWithIncludes>

/** The `include` parameter. It is repeatable, and each value may contain several names separated by commas. */
export const DatasetIncludes = Optional(List(Text(1, 500), { maxItems: 20, 'x-check': checkDatasetIncludes }))

export const parseDatasetIncludes = (values: readonly string[] = []): ReadonlySet<DatasetInclude> =>
  new Set(values.flatMap(value => value.split(',')) as DatasetInclude[])

function checkDatasetIncludes(values: string[]): string | null {
  const known: ReadonlySet<string> = new Set(DATASET_INCLUDES)
  const unknown = [...parseDatasetIncludes(values)].filter(name => !known.has(name))
  if (unknown.length === 0) return null
  return `${listed(unknown.map(quoted))} cannot be included. Allowed: ${DATASET_INCLUDES.join(', ')}`
}
