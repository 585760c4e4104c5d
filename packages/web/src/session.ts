/** Who is signed in. A session that ends in mid-work opens a dialog over the page; nothing on it is thrown away. */
import type { User } from '@postil/domain/users'
import { ref, shallowRef } from 'vue'
import { api, whenSignedOut } from './api.ts'
import { forgetCopies, withCopy } from './offline-copy.ts'

/** Null: nobody, or not asked yet; see `loadSession`. */
export const me = shallowRef<User | null>(null)
/** The session ended while somebody was at work. */
export const mustSignInAgain = ref(false)

whenSignedOut(() => {
  if (me.value !== null) mustSignInAgain.value = true
})

export const isLead = (user: User | null = me.value) => user?.role === 'owner' || user?.role === 'admin'

let asked: Promise<User | null> | null = null

/** Asked once, however many pages want to know. */
export function loadSession(): Promise<User | null> {
  if (me.value !== null) return Promise.resolve(me.value)
  asked ??= findUser().finally(() => {
    asked = null
  })
  return asked
}

async function findUser(): Promise<User | null> {
  let key: string | null = null
  try {
    // Kept for a start without a network; never with the key.
    const user = await withCopy('me', async () => {
      const found = await api.getMe()
      key = found.api_key
      return { ...found, api_key: null }
    })
    me.value = { ...user, api_key: key }
  } catch {
    me.value = null
  }
  return me.value
}

export async function signIn(username: string, password: string): Promise<void> {
  const user = await api.createSession({ body: { username, password } })
  // Somebody else at the same page must not inherit what the first one had on screen.
  if (me.value !== null && me.value.id !== user.id) location.reload()
  me.value = user
  mustSignInAgain.value = false
}

export async function signOut(): Promise<void> {
  await api.deleteSession()
  await forgetCopies()
  me.value = null
}
