import { Bool, Id, List, Nullable, OneOf, Optional, Shape, type Static, Text, Timestamp, Timestamps, Type } from './schema.ts'

export const ROLES = ['owner', 'admin', 'annotator'] as const
export type Role = (typeof ROLES)[number]

/** Of a username, a first and a last name. Names that were stored before there was a limit are still shown. */
export const USER_NAME_LENGTH_MAX = 200

/** Surrounding white space is cut off before the length is looked at. */
const Trimmed = Type.String({ minLength: 1, maxLength: USER_NAME_LENGTH_MAX, 'x-trim': true })

const Username = Text(1, USER_NAME_LENGTH_MAX)

/** bcrypt reads 72 bytes; the limit here is the API's. */
const Password = Text(8, 100)

export const User = Shape({
  id: Id,
  first_name: Text(),
  last_name: Nullable(Text()),
  username: Text(),
  role: OneOf(ROLES),
  /** Shown to its user and to owners; null for everybody else. */
  api_key: Nullable(Text()),
  /** Only in answers to owners, and only of users who are deactivated. */
  deactivated_at: Optional(Timestamp),
  ...Timestamps,
})
export type User = Static<typeof User>

export const UserCreate = Shape({
  id: Optional(Nullable(Id)),
  first_name: Trimmed,
  last_name: Optional(Nullable(Trimmed)),
  username: Username,
  role: Optional(Nullable(OneOf(ROLES))),
  password: Password,
  /** Names of workspaces the user joins. */
  workspaces: Optional(Nullable(List(Text(1), { maxItems: 1_000 }))),
})
export type UserCreate = Static<typeof UserCreate>

export const UserUpdate = Shape(
  {
    first_name: Optional(Trimmed),
    last_name: Optional(Nullable(Trimmed)),
    username: Optional(Username),
    role: Optional(OneOf(ROLES)),
    password: Optional(Password),
  },
  { 'x-not-null': ['first_name', 'username', 'role', 'password'] },
)
export type UserUpdate = Static<typeof UserUpdate>

/** What happens to the responses of a user who is deleted. */
export const RESPONSES_OF_DELETED = ['delete', 'keep'] as const
export type ResponsesOfDeleted = (typeof RESPONSES_OF_DELETED)[number]

export const PasswordChange = Shape({ current_password: Text(0, 100), new_password: Password })
export type PasswordChange = Static<typeof PasswordChange>

/** A browser in which a user is signed in. */
export const Session = Shape({
  id: Id,
  /** What the browser calls itself, cut short. */
  user_agent: Nullable(Text()),
  inserted_at: Timestamp,
  /** To within a few minutes. */
  last_seen_at: Timestamp,
  /** Moves on while the session is used. */
  expires_at: Timestamp,
  /** Whether this request belongs to it. */
  current: Bool(),
})
export type Session = Static<typeof Session>
