/** Feature types that the hub's library adds to the types of Parquet: class labels and images, at any depth. */
import { ownProperty } from '@postil/domain/own-property'

/**
 * As written into the file by the library: `{ _type: 'ClassLabel', names: [...] }`, a list of one feature, or features by key.
 */
export type HubFeature = { readonly [key: string]: unknown } | readonly unknown[]

interface MetadataEntry {
  key: string
  value?: string | undefined
}

/** Returns features by column. Empty if the file has none or they cannot be parsed; the Parquet types then apply. */
export function readFeatures(metadata: readonly MetadataEntry[] | undefined): Record<string, HubFeature> {
  const text = metadata?.find(({ key }) => key === 'huggingface')?.value
  if (text === undefined) return {}
  const features = parse(text)?.info?.features
  return isObject(features) ? (features as Record<string, HubFeature>) : {}
}

function parse(text: string): { info?: { features?: unknown } } | null {
  try {
    return JSON.parse(text)
  } catch {
    // Another program wrote this key.
    return null
  }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const typeOf = (feature: HubFeature | undefined): unknown => (isObject(feature) ? ownProperty(feature, '_type') : undefined)

/** Returns the names of a class label, or null for other features. */
export function classNames(feature: HubFeature | undefined): readonly string[] | null {
  if (typeOf(feature) !== 'ClassLabel' || !isObject(feature)) return null
  return Array.isArray(feature.names) ? feature.names.map(String) : null
}

export const isImage = (feature: HubFeature | undefined): boolean => typeOf(feature) === 'Image'

/** Returns the feature of the items of a list, or undefined if it is not a list or of unknown type. */
export function itemFeature(feature: HubFeature | undefined): HubFeature | undefined {
  if (Array.isArray(feature)) return feature[0] as HubFeature | undefined
  const type = typeOf(feature)
  const isList = type === 'Sequence' || type === 'List' || type === 'LargeList'
  return isList && isObject(feature) ? (feature.feature as HubFeature | undefined) : undefined
}

/** Returns the feature of one key of a struct. A `Sequence` of a struct is stored as a struct of lists. */
export function keyFeature(feature: HubFeature | undefined, key: string): HubFeature | undefined {
  if (!isObject(feature)) return undefined
  const item = itemFeature(feature)
  if (isObject(item) && typeOf(item) === undefined) {
    const inner = ownProperty(item, key)
    return inner === undefined ? undefined : [inner]
  }
  return typeOf(feature) === undefined ? (ownProperty(feature, key) as HubFeature | undefined) : undefined
}
