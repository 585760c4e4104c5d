import { hash, verify } from '@node-rs/argon2'

/** The argon2id cost that OWASP gives as its first choice: 19 MiB, two passes. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

export const hashPassword = (password: string): Promise<string> => hash(password, COST)

let unknownUserHash: Promise<string> | undefined

/** Whether the password fits. For an unknown user it takes as long as for a known one, so that names cannot be probed. */
export async function passwordFits(passwordHash: string | null, password: string): Promise<boolean> {
  if (passwordHash !== null) return verify(passwordHash, password)
  unknownUserHash ??= hashPassword('no such user')
  await verify(await unknownUserHash, password)
  return false
}
