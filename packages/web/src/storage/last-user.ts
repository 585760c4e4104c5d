/** The user who signed in last in this browser, and the record of theirs that a visit shows until the server has answered. */
import { createItems, findLocalStorage } from './items.ts'

/**
 * Storage key of the id of the user who signed in last. Their offline copies are used when the browser starts offline, until they
 * sign out or the server rejects their session.
 */
const LAST_KEY = 'postil.signed-in'

/** Item with the record that the annotation page showed last. */
export const FIRST_RECORD = 'first-record'

export function findLastUserId(): string | null {
  try {
    return findLocalStorage()?.getItem(LAST_KEY) ?? null
  } catch {
    return null
  }
}

/** Deletes the kept record of the previous user, unless they signed in again. Null: nobody is signed in. */
export function storeLastUserId(userId: string | null): void {
  const before = findLastUserId()
  if (before !== null && before !== userId) createItems(before).set(FIRST_RECORD, null)
  try {
    // Removed first, so that the old id does not remain if the new one cannot be stored.
    findLocalStorage()?.removeItem(LAST_KEY)
    if (userId !== null) findLocalStorage()?.setItem(LAST_KEY, userId)
  } catch {
    // Only offline starts and the kept record need it.
  }
}
