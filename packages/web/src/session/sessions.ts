/** Who is signed in, in this tab and in the others of the browser. */
import { ConnectionError } from '@postil/client'
import type { createOAuthSession } from '@postil/domain/api/oauth2'
import type { RouteInput } from '@postil/domain/api/route'
import { DomainError } from '@postil/domain/errors'
import { toOwnPath } from '@postil/domain/own-path'
import type { User } from '@postil/domain/users'
import { nextTick, type ShallowRef, shallowRef } from 'vue'
import { type Api, createApi } from '../api.ts'
import { findLocalStorage, openItems } from '../storage/items.ts'
import { type Ahead, openAhead } from './ahead.ts'
import { openSession, type Session } from './session.ts'

export interface Sessions {
  /** Null: nobody, or not asked yet; see `load`. */
  readonly current: Readonly<ShallowRef<Session | null>>
  /** Of nobody: for what needs no sign-in, and for what is asked while it is still unknown who is here. */
  readonly api: Api
  ahead(): Ahead
  /** Asked once, however many pages want to know. */
  load(): Promise<Session | null>
  signIn(username: string, password: string): Promise<void>
  /** Ends a sign-in with a provider, with what it added to the address; answers the page that was asked for at the beginning. */
  signInWith(provider: string, returned: RouteInput<typeof createOAuthSession>['body']): Promise<string>
  signOut(): Promise<void>
  /** Ends the session in this tab only: somebody else is signed in by now, or nobody. */
  forget(): void
}

/** Whose copies a start without a network opens: whoever signed in last, until they sign out or the server knows them no more. */
const LAST_KEY = 'postil.signed-in'
/** Under it lies the person as the server told them last, without the key. */
const ME = 'me'

export function openSessions(): Sessions {
  const current = shallowRef<Session | null>(null)
  const api = createApi()
  let ahead = openAhead()
  let asked: Promise<Session | null> | null = null

  /** The same person goes on with what they had; somebody else finds nothing of it. */
  function enter(user: User): Session {
    const here = current.value
    if (here?.userId === user.id) {
      here.user.value = user
      here.state.value = 'open'
      return here
    }
    if (here) forget()
    const session = openSession(user, ahead)
    current.value = session
    return session
  }

  /** Its pages go first: what is typed there is still to be kept. */
  function forget(): void {
    const left = current.value
    current.value = null
    ahead = openAhead()
    void nextTick(() => left?.close())
  }

  async function find(): Promise<Session | null> {
    // A browser that knows it is cut off need not try, and try again.
    const known = globalThis.navigator?.onLine === false ? readLast() : null
    if (known) return enter(known)
    try {
      const user = await api.getMe()
      keepLast(user)
      return enter(user)
    } catch (error) {
      if (error instanceof DomainError && error.code === 'unauthenticated') keepLast(null)
      const last = error instanceof ConnectionError ? readLast() : null
      return last ? enter(last) : null
    }
  }

  function welcome(user: User): void {
    keepLast(user)
    others.tell(user.id)
    enter(user)
  }

  const others = tellOtherTabs(userId => {
    const here = current.value
    if (!here) return
    if (userId === here.userId) here.state.value = 'open'
    else here.state.value = userId === null ? 'left' : 'taken'
  })

  return {
    current,
    api,
    ahead: () => ahead,
    load: async () => {
      if (current.value) return current.value
      asked ??= find().finally(() => {
        asked = null
      })
      return asked
    },
    signIn: async (username, password) => welcome(await api.createSession({ body: { username, password } })),
    signInWith: async (provider, body) => {
      const { user, return_to } = await api.createOAuthSession({ params: { provider }, body })
      welcome(user)
      return toOwnPath(return_to)
    },
    forget,
    signOut: async () => {
      const here = current.value
      if (!here) return
      try {
        await here.api.deleteSession()
      } catch (error) {
        // It is over already, or is somebody else's.
        if (!(error instanceof DomainError && ['unauthenticated', 'wrong_user'].includes(error.code))) throw error
      }
      await here.database.clear('copies')
      others.tell(null)
      forget()
      keepLast(null)
    },
  }
}

/** A sign-in or sign-out in one tab is known in the others at once. */
function tellOtherTabs(hear: (userId: string | null) => void) {
  const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel('postil.identity') : null
  channel?.addEventListener('message', ({ data }: MessageEvent<string | null>) => hear(data))
  return { tell: (userId: string | null) => channel?.postMessage(userId) }
}

function keepLast(user: User | null): void {
  try {
    // Removed first: where the new name cannot be stored, the old one must not stay.
    findLocalStorage()?.removeItem(LAST_KEY)
    if (user === null) return
    openItems(user.id).keep(ME, { ...user, api_key: null })
    findLocalStorage()?.setItem(LAST_KEY, user.id)
  } catch {
    // Only a start without a network needs it.
  }
}

function readLast(): User | null {
  try {
    const userId = findLocalStorage()?.getItem(LAST_KEY)
    const kept = userId ? openItems(userId).read(ME) : null
    const isTheirs = typeof kept === 'object' && kept !== null && 'id' in kept && kept.id === userId
    return isTheirs ? (kept as User) : null
  } catch {
    return null
  }
}
