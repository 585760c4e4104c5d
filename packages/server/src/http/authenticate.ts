/** API key, bearer token or session cookie -> the actor with its workspaces. */

import type { IncomingHttpHeaders } from 'node:http'
import { DomainError, forbidden } from '@postil/domain/errors'
import type { Actor } from '@postil/domain/permissions'
import type { Context } from '../context.ts'
import { findSession, type SessionRow } from '../features/sessions/store.ts'
import { findActorByApiKeyHash, findActorById } from '../features/users/store.ts'
import type { Sender } from './sender.ts'
import { verifyToken } from './token.ts'

export interface Authentication {
  actor: Actor | null
  /** Why there is no actor. */
  refusal: string | null
  /** The session that the actor comes from, if it is one. */
  session: SessionRow | null
}

interface Request {
  method: string
  headers: IncomingHttpHeaders
}

const accept = (actor: Actor, session: SessionRow | null = null): Authentication => ({ actor, refusal: null, session })
const refuse = (refusal: string): Authentication => ({ actor: null, refusal, session: null })

export async function authenticate(ctx: Context, request: Request, sender: Sender): Promise<Authentication> {
  const apiKey = request.headers['x-argilla-api-key']
  if (typeof apiKey === 'string' && apiKey !== '') {
    const actor = await findActorByApiKeyHash(ctx.db, ctx.apiKeys.hash(apiKey))
    if (actor) return accept(actor)
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
    ? accept(actor)
    : refuse('The bearer token is malformed, wrongly signed, expired, or ended by a change of password or role or a deactivation')
}

/** A browser sends the cookie by itself, so what changes something must show that a page of ours meant it. */
async function withSession(ctx: Context, request: Request, sender: Sender, secretHash: string): Promise<Authentication> {
  const session = await findSession(ctx.db, secretHash, ctx.now())
  const actor = session && (await findActorById(ctx.db, session.user_id))
  if (!actor) return refuse('The session has ended. Sign in again.')
  checkDestination(request.headers)
  if (!['GET', 'HEAD'].includes(request.method)) checkMeant(request.headers, sender)
  return accept(actor, session)
}

/**
 * The web UI reads with scripts. An image or a frame that leads here, also by a redirect from another host, is the work of a
 * record, so it does not count as the person who looks at it.
 */
function checkDestination(headers: IncomingHttpHeaders): void {
  const destination = headers['sec-fetch-dest'] ?? 'empty'
  if (!['empty', 'document'].includes(String(destination))) {
    throw forbidden('A session cookie does not count for images, media, frames and other parts of pages')
  }
}

/** A header of one's own cannot be sent from another origin without asking first, and we never agree to that with cookies. */
function checkMeant(headers: IncomingHttpHeaders, sender: Sender): void {
  checkOwnPage(sender)
  if (!headers['x-postil-csrf']) {
    throw forbidden('With a session cookie, requests that change something need the header `x-postil-csrf: 1`')
  }
}

export function checkOwnPage(sender: Sender): void {
  if (sender.isForeign) throw forbidden('Pages of another origin cannot use the session of this one')
}

/**
 * A request may say whose it is in `X-Postil-User`. Two people can share a browser and with it the session cookie, so a page that
 * one of them left open would otherwise write in the name of the other. Anything but the actor's id is refused, also several
 * values, which Node joins with commas. Without an actor the checks that follow answer.
 */
export function checkNamedUser(headers: IncomingHttpHeaders, actor: Actor | null): void {
  const named = headers['x-postil-user']
  if (named === undefined || actor === null || named === actor.id) return
  throw new DomainError(
    'wrong_user',
    'The header `X-Postil-User` names another user than the credentials do. ' +
      'Send the id that `GET /api/v1/me` answers for these credentials, or leave the header out.',
  )
}
