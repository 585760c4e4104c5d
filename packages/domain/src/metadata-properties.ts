import { MetadataSettings, MetadataSettingsCreate } from './metadata/registry.ts'
import {
  Bool,
  Float,
  Id,
  Int,
  List,
  Name,
  Nullable,
  OneOf,
  Optional,
  Shape,
  type Static,
  Tagged,
  Text,
  Timestamps,
  Title,
} from './schema.ts'

export const MetadataProperty = Shape({
  id: Id,
  name: Name,
  title: Title,
  settings: MetadataSettings,
  visible_for_annotators: Bool(),
  dataset_id: Id,
  ...Timestamps,
})
export type MetadataProperty = Static<typeof MetadataProperty>

export const MetadataPropertyCreate = Shape({
  name: Name,
  title: Title,
  settings: MetadataSettingsCreate,
  visible_for_annotators: Optional(Bool({ default: true })),
})
export type MetadataPropertyCreate = Static<typeof MetadataPropertyCreate>

export const MetadataPropertyUpdate = Shape(
  { title: Optional(Title), visible_for_annotators: Optional(Bool()) },
  { 'x-not-null': ['title', 'visible_for_annotators'] },
)
export type MetadataPropertyUpdate = Static<typeof MetadataPropertyUpdate>

const TermsMetrics = Shape({ type: OneOf(['terms']), total: Int(), values: List(Shape({ term: Text(), count: Int() })) })
const IntegerMetrics = Shape({ type: OneOf(['integer']), min: Nullable(Int()), max: Nullable(Int()) })
const FloatMetrics = Shape({ type: OneOf(['float']), min: Nullable(Float()), max: Nullable(Float()) })

export const MetadataMetrics = Tagged('type', { terms: TermsMetrics, integer: IntegerMetrics, float: FloatMetrics })
export type MetadataMetrics = Static<typeof MetadataMetrics>
