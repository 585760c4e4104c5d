/**
 * The change feed: the log of a dataset, for programs. The properties of an entry besides the common ones depend on its event.
 * `FEED` lists them, and the reference page is generated from that list.
 */
import { type ChangeName, EVENTS } from './events.ts'
import { SETTINGS_PARTS } from './live.ts'
import { Id, Int, List, Nullable, OneOf, Optional, Shape, type Static, Timestamp, type TSchema } from './schema.ts'

/** Maximum number of entries in one response. */
export const FEED_LIMIT_MAX = 1_000
export const FEED_LIMIT_DEFAULT = 100
/**
 * A response ends after the entry that reaches this number of ids, even if more entries were requested. Entries are never split.
 */
export const FEED_IDS_MAX = 10_000
/** Longest time that a request may wait for the next entry. */
export const FEED_WAIT_SECONDS_MAX = 60

interface Property {
  schema: TSchema
  about: string
}

/** Properties of every entry, besides `event`. */
const COMMON = {
  change_no: { schema: Int({ minimum: 1 }), about: 'the number of the entry: one more than that of the entry before' },
  record_ids: {
    schema: List(Id),
    about: 'the affected records, oldest first, also those that were deleted later; empty for `dataset` and `settings` events',
  },
  actor_id: { schema: Nullable(Id), about: 'the user who did it; null: the server itself' },
  inserted_at: { schema: Timestamp, about: 'when it happened' },
} satisfies Record<string, Property>

/** Properties that depend on the event. */
const EXTRA = {
  response_ids: { schema: List(Id), about: 'the responses' },
  suggestion_ids: { schema: List(Id), about: 'the suggestions' },
  comment_ids: { schema: List(Id), about: 'the comments' },
  user_id: { schema: Id, about: 'the deleted user' },
  settings: { schema: OneOf(SETTINGS_PARTS), about: 'what was changed' },
} satisfies Record<string, Property>

type ExtraName = keyof typeof EXTRA

interface FeedEvent {
  when: string
  has: readonly ExtraName[]
}

const about = (name: keyof typeof EVENTS, has: readonly ExtraName[] = []): FeedEvent => ({ when: EVENTS[name], has })

/** Every event of the feed: when it happens, and the properties of its entries. */
export const FEED: { readonly [N in ChangeName]: FeedEvent } = {
  'dataset.created': about('dataset.created'),
  'dataset.updated': about('dataset.updated'),
  'dataset.published': about('dataset.published'),
  'dataset.deleted': {
    when: 'the dataset is deleted; its feed answers 404 from then on, so that nobody reads this entry',
    has: [],
  },
  'dataset.indexed': { when: 'the text index was built anew; nothing that can be read changed', has: [] },
  'settings.updated': { when: 'fields, questions, metadata properties or vectors settings are changed', has: ['settings'] },
  'record.created': about('record.created'),
  'record.updated': about('record.updated'),
  'record.completed': about('record.completed'),
  'record.deleted': about('record.deleted'),
  'response.created': about('response.created', ['response_ids']),
  'response.updated': about('response.updated', ['response_ids']),
  'response.deleted': about('response.deleted', ['response_ids']),
  'suggestion.updated': { when: 'suggestions are added or replaced through the suggestion routes', has: ['suggestion_ids'] },
  'suggestion.deleted': { when: 'suggestions are deleted', has: ['suggestion_ids'] },
  'comment.created': { when: 'somebody comments on a record', has: ['comment_ids'] },
  'comment.deleted': { when: 'a comment is deleted', has: ['comment_ids'] },
  'flag.created': { when: 'somebody flags a record for themselves', has: [] },
  'flag.deleted': { when: 'somebody takes their flag off a record', has: [] },
  'user.updated': { when: 'the names of a user who responded or commented in this dataset change', has: ['user_id'] },
  'user.deleted': {
    when: 'a user is deleted, with their responses, flags and comments on these records; a large deletion has several entries',
    has: ['user_id'],
  },
}

export const FEED_NAMES = Object.keys(FEED) as ChangeName[]

/** Entry of any event, for the API description. */
export const FeedEntry = Shape({
  change_no: COMMON.change_no.schema,
  event: OneOf(FEED_NAMES),
  record_ids: COMMON.record_ids.schema,
  response_ids: Optional(EXTRA.response_ids.schema),
  suggestion_ids: Optional(EXTRA.suggestion_ids.schema),
  comment_ids: Optional(EXTRA.comment_ids.schema),
  user_id: Optional(EXTRA.user_id.schema),
  settings: Optional(EXTRA.settings.schema),
  actor_id: COMMON.actor_id.schema,
  inserted_at: COMMON.inserted_at.schema,
})
export type FeedEntry = Static<typeof FeedEntry>

export const FeedPage = Shape({
  items: List(FeedEntry),
  /** Value of `after` for the next request. */
  next: Int({ minimum: 0 }),
  /** Number of the newest entry. */
  head: Int({ minimum: 0 }),
})
export type FeedPage = Static<typeof FeedPage>

/** Common properties and those of some events. The reference page is generated from these. */
export const FEED_COMMON: { readonly [property: string]: Property } = COMMON
export const FEED_EXTRA: { readonly [property: string]: Property } = EXTRA

/** Returns the JSON schema for entries of one event. */
export function feedSchema(name: ChangeName): TSchema {
  const { change_no, record_ids, actor_id, inserted_at } = COMMON
  const extra = Object.fromEntries(FEED[name].has.map(property => [property, EXTRA[property].schema]))
  return Shape({
    change_no: change_no.schema,
    event: OneOf([name]),
    record_ids: record_ids.schema,
    ...extra,
    actor_id: actor_id.schema,
    inserted_at: inserted_at.schema,
  })
}
