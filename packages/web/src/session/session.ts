/**
 * The session of a user in this browser, from sign-in to sign-out. It owns all state of the user: stored data, pending requests
 * and caches. All of it is closed when the session ends.
 */
import type { User } from '@postil/domain/users'
import { effectScope, type ShallowRef, shallowRef } from 'vue'
import { type Api, createApi } from '../api.ts'
import { type Database, openDatabase } from '../storage/database.ts'
import { createItems, type Items } from '../storage/items.ts'
import type { PrefetchCache } from './prefetch-cache.ts'
import { openTabs, type Tabs } from './tabs.ts'

/**
 * `expired`: the server session has ended; the user can continue to work until they sign in again. `left`: signed out in another
 * tab. `taken`: another user is signed in. In the last two states the page is covered.
 */
export type SessionState = 'open' | 'expired' | 'left' | 'taken'

/** Makes requests to the server, before or after the session is loaded. */
export interface ApiContext {
  readonly api: Api
  readonly ahead: PrefetchCache
}

export interface Session extends ApiContext {
  readonly userId: string
  readonly user: ShallowRef<User>
  readonly state: ShallowRef<SessionState>
  readonly isLead: boolean
  readonly isOwner: boolean
  readonly items: Items
  readonly database: Database
  readonly tabs: Tabs
  /** Returns the session's instance of a service: created on first use, closed when the session ends. */
  own<T>(open: (session: Session) => T): T
  close(): void
}

export function openSession(given: User, ahead: PrefetchCache): Session {
  const user = shallowRef(given)
  const state = shallowRef<SessionState>('open')
  const owned = new Map<unknown, unknown>()
  // A detached scope: services created during a component's setup must outlive that component.
  const scope = effectScope(true)
  const session: Session = {
    userId: given.id,
    user,
    state,
    isLead: given.role === 'owner' || given.role === 'admin',
    isOwner: given.role === 'owner',
    api: createApi({
      userId: given.id,
      onSignedOut: () => {
        if (state.value === 'open') state.value = 'expired'
      },
      onWrongUser: () => {
        state.value = 'taken'
      },
    }),
    items: createItems(given.id),
    database: openDatabase(given.id),
    tabs: openTabs(given.id),
    ahead,
    own: <T>(open: (session: Session) => T): T => {
      if (!owned.has(open))
        owned.set(
          open,
          scope.run(() => open(session)),
        )
      return owned.get(open) as T
    },
    close: () => {
      for (const one of owned.values()) if (isClosable(one)) one.close()
      owned.clear()
      scope.stop()
      session.tabs.close()
      session.database.close()
    },
  }
  return session
}

const isClosable = (value: unknown): value is { close(): void } =>
  typeof value === 'object' && value !== null && 'close' in value && typeof value.close === 'function'
