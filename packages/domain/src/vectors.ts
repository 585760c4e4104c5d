import { Dictionary, Float, Id, Int, List, Name, Shape, type Static, Timestamps, Title } from './schema.ts'

export const VECTORS_SETTINGS_MAX = 5

export const VectorsSettings = Shape({ id: Id, name: Name, title: Title, dimensions: Int(), dataset_id: Id, ...Timestamps })
export type VectorsSettings = Static<typeof VectorsSettings>

export const VectorsSettingsCreate = Shape({ name: Name, title: Title, dimensions: Int({ exclusiveMinimum: 0 }) })
export type VectorsSettingsCreate = Static<typeof VectorsSettingsCreate>

export const VectorsSettingsUpdate = Shape({ title: Title })
export type VectorsSettingsUpdate = Static<typeof VectorsSettingsUpdate>

/** Vectors of a record by name. Read with `own`. */
export const RecordVectors = Dictionary(List(Float()))
export type RecordVectors = Static<typeof RecordVectors>
