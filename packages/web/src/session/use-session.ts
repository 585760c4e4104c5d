/** Provides the session to components. Pages that require sign-in always have a session; other pages may have none. */
import { type InjectionKey, inject, provide } from 'vue'
import type { Session } from './session.ts'
import type { Sessions } from './sessions.ts'

const SESSION: InjectionKey<Session> = Symbol('session')
export const SESSIONS: InjectionKey<Sessions> = Symbol('sessions')

export const provideSession = (session: Session) => provide(SESSION, session)

export function useSession(): Session {
  const session = inject(SESSION, null)
  if (session === null) throw new Error('This component is shown to people who are signed in')
  return session
}

export const findSession = (): Session | null => inject(SESSION, null)

export function useSessions(): Sessions {
  const sessions = inject(SESSIONS)
  if (sessions === undefined) throw new Error('The application provides its sessions')
  return sessions
}
