import { Bool, Id, List, NullByDefault, OneOf, Optional, Shape, type Static, Text, type TSchema, Type } from './schema.ts'

export const JOB_STATUSES = ['queued', 'finished', 'failed', 'started', 'deferred', 'scheduled', 'stopped', 'canceled'] as const
export type JobStatus = (typeof JOB_STATUSES)[number]

export const Job = Shape({ id: Id, status: OneOf(JOB_STATUSES) })
export type Job = Static<typeof Job>

const MappedColumn = Shape({ source: Text(), target: Text() })
const MappedColumns = Optional(Type.Array(MappedColumn, { default: [] }))

/** Which rows of a hub repository become records, and which column goes where. */
export const HubImport = Shape({
  name: Text(),
  subset: Text(),
  split: Text(),
  mapping: Shape({
    fields: List(MappedColumn, { minItems: 1 }),
    metadata: MappedColumns,
    suggestions: MappedColumns,
    external_id: NullByDefault(Text()),
  }),
})
export type HubImport = Static<typeof HubImport>

const orNull = <T extends TSchema>(schema: T, options: { default: Static<T> }) =>
  Optional(Type.Union([schema, Type.Null()], options))

export const HubExport = Shape({
  name: Text(1),
  subset: orNull(Text(1), { default: 'default' }),
  split: orNull(Text(1), { default: 'train' }),
  private: orNull(Bool(), { default: false }),
  token: Text(1),
})
export type HubExport = Static<typeof HubExport>
