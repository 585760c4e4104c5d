/**
 * One person at work in this browser, from sign-in to sign-out. Everything that belongs to a person hangs on it: what is
 * stored, what is on its way, what was read. When it ends, all of that goes with it.
 */
import type { User } from '@postil/domain/users'
import { effectScope, type ShallowRef, shallowRef } from 'vue'
import { type Api, createApi } from '../api.ts'
import { type Database, openDatabase } from '../storage/database.ts'
import { type Items, openItems } from '../storage/items.ts'
import type { Ahead } from './ahead.ts'
import { openTabs, type Tabs } from './tabs.ts'

/**
 * `expired`: the server knows nobody any more, and work goes on until the person signs in again. `left`: signed out in another
 * tab. `taken`: somebody else is signed in now. In the last two the page is covered.
 */
export type SessionState = 'open' | 'expired' | 'left' | 'taken'

/** Whoever asks the server, before it is known who is signed in or after. */
export interface Asker {
  readonly api: Api
  readonly ahead: Ahead
}

export interface Session extends Asker {
  readonly userId: string
  readonly user: ShallowRef<User>
  readonly state: ShallowRef<SessionState>
  readonly isLead: boolean
  readonly isOwner: boolean
  readonly items: Items
  readonly database: Database
  readonly tabs: Tabs
  /** The one of its kind in this session: made when it is first asked for, closed when the session ends. */
  own<T>(open: (session: Session) => T): T
  close(): void
}

export function openSession(given: User, ahead: Ahead): Session {
  const user = shallowRef(given)
  const state = shallowRef<SessionState>('open')
  const owned = new Map<unknown, unknown>()
  // What is made while some component is set up must not end with that component.
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
    items: openItems(given.id),
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
