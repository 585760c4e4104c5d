/** Common parts of the records of all three tasks: the wire format, the stored form, and how a write changes a stored record. */
import { codePointLength } from '../code-points.ts'
import {
  AnyJson,
  AnyOf,
  Dictionary,
  Float,
  type Json,
  List,
  NullByDefault,
  OneOf,
  Optional,
  type Static,
  StrictInt,
  Text,
  type TSchema,
  Type,
} from '../schema.ts'

export const STATUSES = ['Default', 'Edited', 'Discarded', 'Validated'] as const
export type Status = (typeof STATUSES)[number]

/** Longest label. Agents have a separate limit. */
export const LABEL_LENGTH_MAX = 128
const AGENT_LENGTH_MAX = 64
/** Limited because ids are database keys. */
export const RECORD_ID_LENGTH_MAX = 512

/** Clients may also send an integer, which is stored as an integer. */
export const RecordId = AnyOf({ str: Text(1, RECORD_ID_LENGTH_MAX), int: StrictInt })

/** Between 0 and 1; defaults to 1. */
export const Score = Optional(Type.Number({ minimum: 0, maximum: 1, default: 1 }))

export const Agent = Text(1, AGENT_LENGTH_MAX)

export const Vector = Type.Object({
  value: List(Float(), { minItems: 1, maxItems: 4_096 }),
  record_properties: NullByDefault(List(Text())),
  model: NullByDefault(Text()),
})
export type Vector = Static<typeof Vector>

const isTimestamp = (text: string) =>
  Number.isNaN(Date.parse(text)) ? 'must be a date and time such as 2026-11-15T02:25:04' : null

/** `side` is the shape of a prediction or an annotation without its agent. */
export const commonOf = <S extends Record<string, TSchema>>(side: S) => {
  const Side = Type.Object({ agent: Agent, ...side })
  const Sides = Dictionary(Type.Object(side))
  return {
    id: NullByDefault(RecordId),
    metadata: NullByDefault(Dictionary(AnyJson)),
    event_timestamp: NullByDefault(Type.String({ maxLength: 64, 'x-check': isTimestamp })),
    status: NullByDefault(OneOf(STATUSES)),
    prediction: NullByDefault(Side),
    annotation: NullByDefault(Side),
    predictions: NullByDefault(Sides),
    annotations: NullByDefault(Sides),
    vectors: NullByDefault(Dictionary(Vector)),
  }
}

export type Metadata = Record<string, Json>
/** A prediction or an annotation: the agent, and the properties of the task. */
export type Side = { agent: string } & Record<string, Json>

/** A record in its stored form, without its vectors. Absent properties were never given. */
export interface StoredRecord {
  id: string | number
  status: Status
  metadata?: Metadata
  event_timestamp?: string
  prediction?: Side
  annotation?: Side
  predictions?: Record<string, Record<string, Json>>
  annotations?: Record<string, Record<string, Json>>
  last_updated: string
  /** Properties of the task: `inputs`, `text`, `tokens`, … */
  [key: string]: Json | undefined
}

export interface Flattening {
  /** Maximum length of texts. Longer texts keep their last characters. */
  lengthMax: number
}

/**
 * Flattens nested objects to dotted keys and drops nulls and empty lists. Values of keys that start with `_` are not flattened.
 */
export function flattenMetadata(metadata: Metadata, { lengthMax }: Flattening): Metadata {
  const flat: [string, Json][] = []
  const add = (key: string, value: Json) => {
    if (value === null || (Array.isArray(value) && value.length === 0)) return
    if (key.startsWith('_')) flat.push([key, value])
    else if (typeof value === 'object' && !Array.isArray(value))
      for (const [name, inner] of Object.entries(value)) add(`${key}.${name}`, inner)
    else flat.push([key, typeof value === 'string' ? lastCharacters(value, lengthMax) : value])
  }
  for (const [key, value] of Object.entries(metadata)) add(key, value)
  return Object.fromEntries(flat)
}

const lastCharacters = (text: string, count: number) =>
  codePointLength(text) <= count ? text : Array.from(text).slice(-count).join('')

/** Adds the singular form to the map. If the singular is absent, it becomes the first entry of the map. */
export function withAgents(singular: Side | null, map: Record<string, Record<string, Json>> | null) {
  const { agent, ...side } = singular ?? { agent: null }
  const all = { ...map, ...(agent === null ? {} : { [agent]: side as Record<string, Json> }) }
  const first = Object.entries(all)[0]
  if (first === undefined) return { singular: null, map: null }
  return { singular: singular ?? ({ agent: first[0], ...first[1] } as Side), map: all }
}

type Entries = { [key: string]: Json | undefined }

/** Merges objects key by key and replaces other values. Nulls leave stored values unchanged. */
export function mergeDeep<T extends Entries>(stored: T, given: Entries): T {
  const merged = new Map<string, Json | undefined>(Object.entries(stored))
  for (const [key, value] of Object.entries(given)) {
    if (value === null || value === undefined) continue
    const before = merged.get(key)
    merged.set(key, isObject(before) && isObject(value) ? mergeDeep(before, value) : value)
  }
  return Object.fromEntries(merged) as T
}

const isObject = (value: Json | undefined): value is { [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
