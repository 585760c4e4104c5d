import type { Context } from '../../context.ts'
import { WithHeaders } from '../../lib/answer.ts'
import { checkSharing } from './create.ts'
import { drawCard } from './draw.ts'
import { verifyCard } from './sign.ts'

/** Restricts the image if a browser opens it directly: no scripts, no loading of resources, no origin. */
const HEADERS = {
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  'cache-control': 'public, max-age=86400',
}

export function showCard(ctx: Pick<Context, 'config' | 'secrets'>, card: string): WithHeaders {
  checkSharing(ctx)
  return new WithHeaders(HEADERS, drawCard(verifyCard(ctx.secrets, card)))
}
