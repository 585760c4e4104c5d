/** Settings of sign-in with a provider: a part of `SETTINGS`. A file configures the providers themselves (`oauth-config.ts`). */
import type { Setting } from './setting-kinds.ts'

/** Accepts only an origin, because a path, query or password would end up in URLs. */
function toOrigin(given: string): string | undefined {
  const url = URL.parse(given)
  const isOrigin = url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`
  return isOrigin ? url.origin : undefined
}

export const OAUTH_SETTINGS = {
  oauthFile: {
    name: 'AUTH_OAUTH_CFG',
    about:
      'File of the providers with which people can sign in: see the [guide](../guide/sign-in.md). Without it there are none.',
    expected: 'the path of a YAML file',
    fallback: '.oauth.yaml',
    read: given => given,
  } as Setting<string>,
  publicOrigin: {
    name: 'PUBLIC_URL',
    about:
      'Where browsers reach this server. Providers send people back to this address. Without it, the host that the browser asked is taken, with https.',
    expected: 'a scheme and a host without a path, such as `https://postil.example`; the path is `SERVICE_BASE_URL`',
    fallback: null,
    fallbackText: 'the host of the request',
    read: toOrigin,
  } as Setting<string | null>,
}
