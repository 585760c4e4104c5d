/** The label schema of a dataset, and the dimensions of its vectors. */
import { AnyOf, Dictionary, Int, List, NullByDefault, Shape, type Static, Text } from '../schema.ts'
import { LABEL_LENGTH_MAX } from './record.ts'

const LABELS_MAX = 10_000
const Dimensions = Int({ minimum: 1, maximum: 4_096 })
const LabelName = Text(1, LABEL_LENGTH_MAX)

/** Plain texts and numbers are accepted for labels and dimensions. */
export const SettingsInput = Shape({
  label_schema: NullByDefault(
    Shape({
      labels: List(
        AnyOf({
          str: LabelName,
          Label: Shape({ id: NullByDefault(LabelName), name: LabelName, description: NullByDefault(Text(0, 1_000)) }),
        }),
        {
          maxItems: LABELS_MAX,
        },
      ),
    }),
  ),
  vectors: NullByDefault(Dictionary(AnyOf({ int: Dimensions, Vector: Shape({ dim: Dimensions }) }))),
})
export type SettingsInput = Static<typeof SettingsInput>

export interface Settings {
  label_schema?: { labels: { id: string; name: string; description?: string }[] }
  vectors?: Record<string, { dim: number }>
}

export function toSettings({ label_schema, vectors }: SettingsInput): Settings {
  const labels = label_schema?.labels.map(given => {
    if (typeof given === 'string') return { id: given, name: given }
    return {
      id: given.id ?? given.name,
      name: given.name,
      ...(given.description == null ? {} : { description: given.description }),
    }
  })
  const dimensions = Object.entries(vectors ?? {}).map(([name, given]) => [
    name,
    typeof given === 'number' ? { dim: given } : given,
  ])
  return {
    ...(labels && { label_schema: { labels } }),
    ...(dimensions.length > 0 && { vectors: Object.fromEntries(dimensions) }),
  }
}

/** Returns the labels of the schema; null without a schema, which allows all labels. */
export const labelsOfSchema = (settings: Settings | null): Set<string> | null =>
  settings?.label_schema ? new Set(settings.label_schema.labels.flatMap(({ id, name }) => [id, name])) : null
