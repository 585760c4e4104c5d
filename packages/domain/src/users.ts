import {
  Bool,
  Id,
  Int,
  List,
  Nullable,
  OneOf,
  Optional,
  Shape,
  type Static,
  Text,
  Timestamp,
  Timestamps,
  Type,
} from './schema.ts'

export const ROLES = ['owner', 'admin', 'annotator'] as const
export type Role = (typeof ROLES)[number]

/** Longest username, first name and last name. Longer names from before this limit are still shown. */
export const USER_NAME_LENGTH_MAX = 200

/** Surrounding white space is trimmed before the length check. */
export const TrimmedText = Type.String({ minLength: 1, maxLength: USER_NAME_LENGTH_MAX, 'x-trim': true })

export const Username = Text(1, USER_NAME_LENGTH_MAX)

/** bcrypt only reads 72 bytes; this is the limit of the API. */
export const Password = Text(8, 100)

export const User = Shape({
  id: Id,
  first_name: Text(),
  last_name: Nullable(Text()),
  username: Text(),
  role: OneOf(ROLES),
  /** Visible to the user and to owners; null for all others. */
  api_key: Nullable(Text()),
  /** Only in responses to owners, and only for deactivated users. */
  deactivated_at: Optional(Timestamp),
  ...Timestamps,
})
export type User = Static<typeof User>

export const UserCreate = Shape({
  id: Optional(Nullable(Id)),
  first_name: TrimmedText,
  last_name: Optional(Nullable(TrimmedText)),
  username: Username,
  role: Optional(Nullable(OneOf(ROLES))),
  password: Password,
  /** Names of the workspaces that the user joins. */
  workspaces: Optional(Nullable(List(Text(1), { maxItems: 1_000 }))),
})
export type UserCreate = Static<typeof UserCreate>

export const UserUpdate = Shape(
  {
    first_name: Optional(TrimmedText),
    last_name: Optional(Nullable(TrimmedText)),
    username: Optional(Username),
    role: Optional(OneOf(ROLES)),
    password: Optional(Password),
  },
  { 'x-not-null': ['first_name', 'username', 'role', 'password'] },
)
export type UserUpdate = Static<typeof UserUpdate>

/** Action for the responses of a deleted user. */
export const RESPONSES_OF_DELETED = ['delete', 'keep'] as const
export type ResponsesOfDeleted = (typeof RESPONSES_OF_DELETED)[number]

/** Contributions of a user, which are deleted with the user or stay under a pseudonym. */
export const UserContributions = Shape({ responses: Int(), comments: Int(), datasets: Int() })
export type UserContributions = Static<typeof UserContributions>

export const PasswordChange = Shape({ current_password: Text(0, 100), new_password: Password })
export type PasswordChange = Static<typeof PasswordChange>

/** A browser session of a user. */
export const Session = Shape({
  id: Id,
  /** `User-Agent` of the browser, shortened. */
  user_agent: Nullable(Text()),
  inserted_at: Timestamp,
  /** Accurate to a few minutes. */
  last_seen_at: Timestamp,
  /** Extended while the session is in use. */
  expires_at: Timestamp,
  /** True for the session of this request. */
  current: Bool(),
})
export type Session = Static<typeof Session>
