/** Tracks which user is signed in, in this tab and in the other tabs of the browser. */
import { ConnectionError } from '@postil/client'
import type { createOAuthSession } from '@postil/domain/api/oauth2'
import type { RouteInput } from '@postil/domain/api/route'
import { DomainError } from '@postil/domain/errors'
import type { InvitationAccept } from '@postil/domain/invitations'
import { toLocalPath } from '@postil/domain/local-path'
import type { User } from '@postil/domain/users'
import { nextTick, type ShallowRef, shallowRef } from 'vue'
import { type Api, createApi } from '../api.ts'
import { createItems } from '../storage/items.ts'
import { FIRST_RECORD, findLastUserId, storeLastUserId } from '../storage/last-user.ts'
import { createPrefetchCache, type PrefetchCache } from './prefetch-cache.ts'
import { openSession, type Session } from './session.ts'

export interface Sessions {
  /** Null if no user is signed in, or before `load`. */
  readonly current: Readonly<ShallowRef<Session | null>>
  /** Client without a user, for requests that need no sign-in and for prefetches before the session is loaded. */
  readonly api: Api
  ahead(): PrefetchCache
  /** True if a user has signed in here and not signed out, so that a session probably exists. */
  isExpected(): boolean
  /** Loads the session. Concurrent calls share one request. */
  load(): Promise<Session | null>
  signIn(username: string, password: string): Promise<void>
  /**
   * Completes sign-in with an identity provider, using the parameters that it added to the URL. Returns the page that was
   * originally requested.
   */
  signInWith(provider: string, returned: RouteInput<typeof createOAuthSession>['body']): Promise<string>
  /** Creates the account of an invitation and signs in. */
  acceptInvitation(body: InvitationAccept): Promise<void>
  signOut(): Promise<void>
  /** Ends the session in this tab only, because another user or no user is signed in. */
  forget(): void
}

/** Item with the user as last returned by the server, without the API key. */
const ME = 'me'

export function openSessions(): Sessions {
  const current = shallowRef<Session | null>(null)
  const api = createApi()
  let ahead = createPrefetchCache()
  let pendingLoad: Promise<Session | null> | null = null

  /** Keeps the state of the session if the same user signs in again; any other user gets a new session. */
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

  /** Closes the session after its pages are unmounted, because unmounting still stores what the user typed. */
  function forget(): void {
    const left = current.value
    current.value = null
    ahead = createPrefetchCache()
    void nextTick(() => left?.close())
  }

  async function find(): Promise<Session | null> {
    // Skips the request and its retries if the browser reports that it is offline.
    const known = globalThis.navigator?.onLine === false ? readLastUser() : null
    if (known) return enter(known)
    try {
      const user = await api.getMe()
      storeLastUser(user)
      return enter(user)
    } catch (error) {
      if (error instanceof DomainError && error.code === 'unauthenticated') storeLastUser(null)
      const last = error instanceof ConnectionError ? readLastUser() : null
      return last ? enter(last) : null
    }
  }

  function welcome(user: User): void {
    storeLastUser(user)
    others.tell(user.id)
    enter(user)
  }

  const others = connectOtherTabs(userId => {
    const here = current.value
    if (!here) return
    if (userId === here.userId) here.state.value = 'open'
    else here.state.value = userId === null ? 'left' : 'taken'
  })

  return {
    current,
    api,
    ahead: () => ahead,
    isExpected: () => current.value !== null || readLastUser() !== null,
    load: async () => {
      if (current.value) return current.value
      pendingLoad ??= find().finally(() => {
        pendingLoad = null
      })
      return pendingLoad
    },
    signIn: async (username, password) => welcome(await api.createSession({ body: { username, password } })),
    signInWith: async (provider, body) => {
      const { user, return_to } = await api.createOAuthSession({ params: { provider }, body })
      welcome(user)
      return toLocalPath(return_to)
    },
    acceptInvitation: async body => welcome(await api.acceptInvitation({ body })),
    forget,
    signOut: async () => {
      const here = current.value
      if (!here) return
      try {
        await here.api.deleteSession()
      } catch (error) {
        // The session has already ended or belongs to another user.
        if (!(error instanceof DomainError && ['unauthenticated', 'wrong_user'].includes(error.code))) throw error
      }
      here.items.set(FIRST_RECORD, null)
      await here.database.clear('copies')
      others.tell(null)
      forget()
      storeLastUser(null)
    },
  }
}

/** Notifies other tabs of a sign-in or sign-out. */
function connectOtherTabs(hear: (userId: string | null) => void) {
  const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel('postil.identity') : null
  channel?.addEventListener('message', ({ data }: MessageEvent<string | null>) => hear(data))
  return { tell: (userId: string | null) => channel?.postMessage(userId) }
}

/** Only offline starts need the user. */
function storeLastUser(user: User | null): void {
  if (user !== null) createItems(user.id).keep(ME, { ...user, api_key: null })
  storeLastUserId(user?.id ?? null)
}

function readLastUser(): User | null {
  const userId = findLastUserId()
  const kept = userId ? createItems(userId).read(ME) : null
  const isTheirs = typeof kept === 'object' && kept !== null && 'id' in kept && kept.id === userId
  return isTheirs ? (kept as User) : null
}
