/** The tables that several processes on one PostgreSQL database share. SQLite has them too, empty. */

export interface ProcessTables {
  sign_in_attempts: SignInAttemptsTable
  server_keys: ServerKeysTable
}

/** Wrong attempts at a password, counted under a name. Not in the write-ahead log: a crash of the database forgets them. */
interface SignInAttemptsTable {
  /** A limit and a hash. */
  name: string
  /** When the last of them is forgotten, in milliseconds. Each one moves that further. */
  forgotten_at: number
  /** When the account was last signed in to from this address, in milliseconds. */
  familiar_at: number | null
}

/** A key of the server (lib/secrets.ts). */
interface ServerKeysTable {
  name: string
  /** Of the key: tells keys apart, and says nothing about them. */
  fingerprint: string
  /** The key, encrypted with SERVICE_AUTH_SECRET_KEY; null if it is a file in the home path of each process. */
  wrapped: string | null
  inserted_at: string
}
