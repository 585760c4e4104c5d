/** Resolves an API key, bearer token or session cookie to the actor with its workspaces. */

import type { IncomingHttpHeaders } from 'node:http'
import { forbidden, wrongUser } from '@postil/domain/errors'
import type { Actor } from '@postil/domain/permissions'
import type { Context } from '../context.ts'
import { findSession, type SessionRow } from '../features/sessions/store.ts'
import { findActorByApiKeyHash, findActorById } from '../features/users/store.ts'
import type { Credentials } from './expected-actor.ts'
import type { Sender } from './sender.ts'
import { verifyToken } from './token.ts'

export interface Authentication {
  actor: Actor | null
  /** Reason for the refusal if there is no actor. */
  refusal: string | null
  /** The session if the actor was authenticated by a session cookie. */
  session: SessionRow | null
  /** Credentials that identified the actor; null for a bearer token. */
  credentials: Credentials | null
}

/** The caller, or the expected caller, which the thread that handles the call confirms. */
export interface Caller extends Omit<Authentication, 'credentials'> {
  expected: Credentials | undefined
}

interface Request {
  method: string
  headers: IncomingHttpHeaders
}

const accept = (actor: Actor, credentials: Credentials | null, session: SessionRow | null = null): Authentication => ({
  actor,
  refusal: null,
  session,
  credentials,
})
const refuse = (refusal: string): Authentication => ({ actor: null, refusal, session: null, credentials: null })

export async function authenticate(ctx: Context, request: Request, sender: Sender): Promise<Authentication> {
  const apiKey = request.headers['x-argilla-api-key']
  if (typeof apiKey === 'string' && apiKey !== '') {
    const hash = ctx.apiKeys.hash(apiKey)
    const actor = await findActorByApiKeyHash(ctx.db, hash)
    if (actor) return accept(actor, { kind: 'api-key', hash })
  }
  const token = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
  if (token !== undefined) return withToken(ctx, token)
  if (sender.sessionHash !== null) return withSession(ctx, request, sender, sender.sessionHash)
  return refuse('Could not validate credentials: send a valid API key or bearer token')
}

async function withToken(ctx: Context, token: string): Promise<Authentication> {
  const userId = await verifyToken(ctx, token)
  const actor = userId === null ? null : await findActorById(ctx.db, userId)
  return actor
    ? accept(actor, null)
    : refuse('The bearer token is malformed, wrongly signed, expired, or ended by a change of password or role or a deactivation')
}

/** Browsers send the cookie with every request, so requests that change something must pass the CSRF checks. */
async function withSession(ctx: Context, request: Request, sender: Sender, secretHash: string): Promise<Authentication> {
  const session = await findSession(ctx.db, secretHash, ctx.now())
  const actor = session && (await findActorById(ctx.db, session.user_id))
  if (!actor) return refuse('The session has ended. Sign in again.')
  checkSessionUse(request, sender)
  return accept(actor, { kind: 'session', hash: secretHash }, session)
}

function checkSessionUse(request: Request, sender: Sender): void {
  checkDestination(request.headers)
  if (!['GET', 'HEAD'].includes(request.method)) checkCsrfHeader(request.headers, sender)
}

/**
 * Returns the credentials that `authenticate` would look up first. Null if they do not suffice, as for a bearer token, or if it
 * would refuse them.
 */
export function readCredentials(ctx: Pick<Context, 'apiKeys'>, request: Request, sender: Sender): Credentials | null {
  const apiKey = request.headers['x-argilla-api-key']
  if (typeof apiKey === 'string' && apiKey !== '') return { kind: 'api-key', hash: ctx.apiKeys.hash(apiKey) }
  if (request.headers.authorization !== undefined || sender.sessionHash === null) return null
  try {
    checkSessionUse(request, sender)
  } catch {
    return null
  }
  return { kind: 'session', hash: sender.sessionHash }
}

/**
 * Refuses session cookies for images, frames and other embedded resources. The web UI loads data only with scripts, so such
 * requests come from record content, possibly by a redirect from another host.
 */
function checkDestination(headers: IncomingHttpHeaders): void {
  const destination = headers['sec-fetch-dest'] ?? 'empty'
  if (!['empty', 'document'].includes(String(destination))) {
    throw forbidden('A session cookie does not count for images, media, frames and other parts of pages')
  }
}

/**
 * CSRF check: pages of another origin cannot send a custom header without a CORS preflight, and we never allow credentials in
 * one.
 */
function checkCsrfHeader(headers: IncomingHttpHeaders, sender: Sender): void {
  checkSameOrigin(sender)
  if (!headers['x-postil-csrf']) {
    throw forbidden('With a session cookie, requests that change something need the header `x-postil-csrf: 1`')
  }
}

export function checkSameOrigin(sender: Sender): void {
  if (sender.isForeign) throw forbidden('Pages of another origin cannot use the session of this one')
}

/**
 * Refuses a request whose `X-Postil-User` header does not contain the actor's id. Two people can share a browser and its session
 * cookie, so a page left open by one of them could otherwise write as the other. Several values, which Node joins with commas,
 * are refused too. Without an actor, later checks refuse the request.
 */
export function checkUserHeader(headers: IncomingHttpHeaders, actor: Actor | null): void {
  const named = headers['x-postil-user']
  if (named === undefined || actor === null || named === actor.id) return
  throw wrongUser('The header `X-Postil-User`')
}
