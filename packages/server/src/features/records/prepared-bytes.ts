/** A prepared bulk as bytes, for the writer thread. */
import { deserialize, serialize } from 'node:v8'
import type { PreparedBulk } from './prepare.ts'

export const toPreparedBytes = (bulk: PreparedBulk): Uint8Array => new Uint8Array(serialize(bulk))

export const readPrepared = (bytes: Uint8Array): PreparedBulk => deserialize(bytes) as PreparedBulk
