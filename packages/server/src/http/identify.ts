/** Authentication and permission checks of requests. On PostgreSQL, reads start with the expected actor (`expected-actor.ts`). */
import type { Route } from '@postil/domain/api/route'
import type { Actor } from '@postil/domain/permissions'
import type { Context } from '../context.ts'
import type { Admit } from './admit.ts'
import type { Dispatch } from './app.ts'
import { type Authentication, authenticate, type Caller, checkUserHeader, readCredentials } from './authenticate.ts'
import type { Call, Reply } from './call.ts'
import type { Credentials } from './expected-actor.ts'

type Request = Parameters<typeof authenticate>[1]
type UnidentifiedCall = Omit<Call, 'body' | 'actor' | 'refusal'>

export interface CallerLookup {
  /** Throws if the path alone shows that the actor may not do this. */
  identify(contract: Route, request: Request, call: UnidentifiedCall): Promise<Caller>
  /** Looks the credentials up, regardless of the expected actor. */
  lookUp(request: Request, call: Pick<Call, 'sender'>): Promise<Authentication>
  /** Sends a call to the thread that handles it, and repeats it if the actor was not the expected one. */
  dispatchConfirmed(contract: Route, request: Request, call: Call, isGone: () => boolean): Promise<DispatchedCall>
}

interface DispatchedCall {
  /** The call with the actor that was confirmed or looked up. */
  call: Call
  reply: Reply
}

interface CachedActor {
  actor: Actor
  until: number
}

/**
 * How long an actor is expected. After this time the main thread looks the credentials up itself and records the use of the
 * session.
 */
const CACHED_ACTOR_MS = 30_000
const CACHED_ACTORS_MAX = 10_000
/**
 * Largest body, in bytes, that is copied because the call may have to be repeated. Calls with larger bodies look the credentials
 * up first.
 */
const COPY_BYTES_MAX = 64 * 1024

export function createCallerLookup(ctx: Context, { admit, dispatch }: { admit: Admit; dispatch: Dispatch }): CallerLookup {
  const seen = new Map<string, CachedActor>()
  const keyOf = ({ kind, hash }: Credentials) => `${kind} ${hash}`

  const expect = (contract: Route, request: Request, { sender }: UnidentifiedCall): Caller | null => {
    if (!canExpect(ctx, contract)) return null
    const credentials = readCredentials(ctx, request, sender)
    const found = credentials && seen.get(keyOf(credentials))
    if (!found || found.until < performance.now()) return null
    const named = request.headers['x-postil-user']
    if (named !== undefined && named !== found.actor.id) return null
    return { actor: found.actor, refusal: null, session: null, expected: credentials }
  }
  const lookUp: CallerLookup['lookUp'] = async (request, { sender }) => {
    const found = await authenticate(ctx, request, sender)
    checkUserHeader(request.headers, found.actor)
    const { actor, credentials } = found
    if (seen.size >= CACHED_ACTORS_MAX) seen.clear()
    if (actor && credentials) seen.set(keyOf(credentials), { actor, until: performance.now() + CACHED_ACTOR_MS })
    return found
  }
  return {
    identify: async (contract, request, call) => {
      const expected = expect(contract, request, call)
      if (expected && (await isAdmitted(admit(ctx, contract, { ...call, ...expected })))) return expected
      const found = { ...(await lookUp(request, call)), expected: undefined }
      await admit(ctx, contract, { ...call, ...found })
      return found
    },
    lookUp,
    dispatchConfirmed: async (contract, request, call, isGone) => {
      const { expected, ...usual } = call
      if (!expected) return { call, reply: await dispatch(contract, call, isGone) }
      if ((call.body?.byteLength ?? 0) <= COPY_BYTES_MAX) {
        // A copy, because the body is transferred to another thread.
        const reply = await dispatch(contract, { ...call, body: call.body && new Uint8Array(call.body) }, isGone)
        if (!reply.isUnconfirmed) return { call: usual, reply }
        seen.delete(keyOf(expected))
      }
      const { actor, refusal } = await lookUp(request, call)
      const again = { ...usual, actor, refusal }
      await admit(ctx, contract, again)
      return { call: again, reply: await dispatch(contract, again, isGone) }
    },
  }
}

/** False if there is no round trip to save, or if the call ends with a write: the credentials are then looked up first. */
const canExpect = ({ db }: Context, { auth, runs, stream, endsOnWriter }: Route): boolean =>
  auth && runs === 'reader' && !stream && !endsOnWriter && db.dialect.name === 'postgres'

/**
 * False does not mean a refusal: the expected actor may be outdated, so the credentials are looked up and the path is checked
 * again.
 */
const isAdmitted = (admitting: Promise<void>): Promise<boolean> =>
  admitting.then(
    () => true,
    () => false,
  )
