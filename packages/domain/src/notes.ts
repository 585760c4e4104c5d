/** Flags and comments that users add to records. Neither is part of the record's data. */
import { Bool, Id, Int, List, Shape, type Static, Timestamp, Type } from './schema.ts'

export const COMMENTS_MAX = 200
export const FLAGS_LISTED_MAX = 1_000

/** Surrounding white space is trimmed before the length check. */
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

/** Newest first. `total` also counts flags beyond the listed ones. */
export const RecordFlags = Shape({ items: List(Shape({ record_id: Id, inserted_at: Timestamp })), total: Int() })
export type RecordFlags = Static<typeof RecordFlags>

/** Whether the caller flagged the record, and its number of comments. */
export const RecordNotes = Shape({ record_id: Id, flagged: Bool(), comments: Int() })
export type RecordNotes = Static<typeof RecordNotes>
