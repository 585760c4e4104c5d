/** What people put on records for themselves and for each other: flags and comments. Neither is part of a record's data. */
import { Bool, Id, Int, List, Shape, type Static, Timestamp, Type } from './schema.ts'

export const COMMENTS_MAX = 200
export const FLAGS_LISTED_MAX = 1_000

/** Surrounding white space is cut off before the length is looked at. */
const Body = Type.String({ minLength: 1, maxLength: 5_000, 'x-trim': true })

export const RecordComment = Shape({
  id: Id,
  record_id: Id,
  user_id: Id,
  username: Type.String(),
  body: Type.String(),
  inserted_at: Timestamp,
})
export type RecordComment = Static<typeof RecordComment>

export const RecordCommentCreate = Shape({ body: Body })
export type RecordCommentCreate = Static<typeof RecordCommentCreate>

/** Newest first; `total` counts also those that are too many to list. */
export const RecordFlags = Shape({ items: List(Shape({ record_id: Id, inserted_at: Timestamp })), total: Int() })
export type RecordFlags = Static<typeof RecordFlags>

/** What a page shows beside a record: whether the caller flagged it, and how many comments it has. */
export const RecordNotes = Shape({ record_id: Id, flagged: Bool(), comments: Int() })
export type RecordNotes = Static<typeof RecordNotes>
