import type { Context } from '../../context.ts'
import { WithHeaders } from '../../lib/answer.ts'
import { checkSharing } from './create.ts'
import { drawCard } from './draw.ts'
import { openCard } from './sign.ts'

/** The picture is data, also where a browser opens it by itself: it runs nothing, loads nothing and has no origin. */
const HEADERS = {
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  'cache-control': 'public, max-age=86400',
}

export function showCard(ctx: Pick<Context, 'config' | 'secrets'>, card: string): WithHeaders {
  checkSharing(ctx)
  return new WithHeaders(HEADERS, drawCard(openCard(ctx.secrets, card)))
}
