/** Tables that several processes on one PostgreSQL database share. They are empty on SQLite. */

export interface ProcessTables {
  sign_in_attempts: SignInAttemptsTable
  server_keys: ServerKeysTable
}

/** Failed password attempts by key. The table is unlogged, so a crash of the database clears it. */
interface SignInAttemptsTable {
  /** Name of the limit, and a hash. */
  name: string
  /** Time when the last attempt expires, in milliseconds. Each attempt extends it. */
  forgotten_at: number
  /** Time of the last sign-in to the account from this address, in milliseconds. */
  familiar_at: number | null
}

/** Key of the server (lib/secrets.ts). */
interface ServerKeysTable {
  name: string
  /** Distinguishes keys without revealing them. */
  fingerprint: string
  /** The key, encrypted with SERVICE_AUTH_SECRET_KEY; null if it is a file in the home path of each process. */
  wrapped: string | null
  inserted_at: string
}
