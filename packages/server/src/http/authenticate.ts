/** API key or bearer token -> the actor with its workspaces. */

import type { IncomingHttpHeaders } from 'node:http'
import type { Actor } from '@postil/domain/permissions'
import type { Context } from '../context.ts'
import { findActorByApiKeyHash, findActorByUsername } from '../features/users/store.ts'
import { verifyToken } from './token.ts'

export type Authentication = { actor: Actor; refusal: null } | { actor: null; refusal: string }

const refuse = (refusal: string): Authentication => ({ actor: null, refusal })

export async function authenticate(ctx: Context, headers: IncomingHttpHeaders): Promise<Authentication> {
  const apiKey = headers['x-argilla-api-key']
  if (typeof apiKey === 'string' && apiKey !== '') {
    const actor = await findActorByApiKeyHash(ctx.db, ctx.apiKeys.hash(apiKey))
    if (actor) return { actor, refusal: null }
  }
  const token = /^bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
  if (token === undefined) return refuse('Could not validate credentials: send a valid API key or bearer token')
  const username = await verifyToken(ctx, token)
  const actor = username === null ? null : await findActorByUsername(ctx.db, username)
  return actor ? { actor, refusal: null } : refuse('The bearer token is malformed, wrongly signed or expired')
}
