/** Security headers of the web UI's pages: what they may load and run, and which pages may embed them. */
import type { Config } from '../config.ts'

type PageConfig = Pick<Config, 'mediaHosts' | 'frameAncestors'>
type FrameConfig = PageConfig & Pick<Config, 'templateLibraries'>

const policy = (directives: string[][]) => directives.map(words => words.join(' ')).join('; ')

export function pageHeaders({ mediaHosts, frameAncestors }: PageConfig): Record<string, string> {
  return {
    'content-security-policy': policy([
      ['default-src', "'self'"],
      ['script-src', "'self'"],
      ['style-src', "'self'"],
      ['img-src', "'self'", 'data:', 'blob:', ...mediaHosts],
      ['media-src', "'self'", 'data:', 'blob:', ...mediaHosts],
      ['connect-src', "'self'"],
      // `blob:` is not allowed, because a template could navigate its frame to its own document without the restrictions.
      ['frame-src', "'self'"],
      ['worker-src', "'self'"],
      ['manifest-src', "'self'"],
      ['object-src', "'none'"],
      ['base-uri', "'none'"],
      ['form-action', "'self'"],
      ['frame-ancestors', "'self'", ...frameAncestors],
      ['trusted-types', 'vue', 'dompurify', 'postil', 'postil-markdown'],
      ['require-trusted-types-for', "'script'"],
    ]),
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), microphone=(), geolocation=()',
  }
}

/**
 * True if the source contains a host name. A scheme or `*` alone would let a template send data to any host, as part of an image
 * URL.
 */
const isNamedHost = (source: string) => !/^[a-z][a-z0-9+.-]*:$|^(?:[a-z]+:\/\/)?\*(?::[\d*]+)?\/?$/i.test(source)

const IMAGE_HOSTS_MAX = 100
const HOST = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*(?::\d{1,5})?$/

/** Reads the hosts in a frame's URL: those that the lead or the user has allowed for a dataset. */
const readImageHosts = (search: string): string[] =>
  (new URLSearchParams(search).get('images') ?? '')
    .split(',')
    .filter(host => HOST.test(host))
    .slice(0, IMAGE_HOSTS_MAX)

/** Schemes for which the settings allow every host. */
const openSchemes = (mediaHosts: readonly string[]) => [
  ...(mediaHosts.some(source => ['*', 'https:', 'http:'].includes(source)) ? ['https:'] : []),
  ...(mediaHosts.some(source => ['*', 'http:'].includes(source)) ? ['http:'] : []),
]

/** Browsers ignore the features they do not support. */
const NO_FEATURES = [
  'autoplay, bluetooth, browsing-topics, camera, clipboard-read, clipboard-write, display-capture, encrypted-media, fullscreen',
  'gamepad, geolocation, hid, identity-credentials-get, idle-detection, local-fonts, microphone, midi, otp-credentials, payment',
  'picture-in-picture, publickey-credentials-get, screen-wake-lock, serial, storage-access, usb, web-share, window-management',
]
  .flatMap(names => names.split(', '))
  .map(name => `${name}=()`)
  .join(', ')

/**
 * Headers of the page in which dataset templates run. Even if opened directly it has an opaque origin without access to our data,
 * and no network access except to the libraries on this server and images of allowed hosts.
 */
export function sandboxHeaders(
  { mediaHosts, frameAncestors, templateLibraries }: FrameConfig,
  search = '',
): Record<string, string> {
  const allowed = readImageHosts(search).flatMap(host => openSchemes(mediaHosts).map(scheme => `${scheme}//${host}`))
  const named = [...mediaHosts.filter(isNamedHost), ...allowed]
  const own = templateLibraries === null ? [] : ["'self'"]
  return {
    'content-security-policy': policy([
      ['sandbox', 'allow-scripts'],
      ['default-src', "'none'"],
      ['script-src', "'unsafe-inline'", "'unsafe-eval'", 'blob:', ...own],
      ['style-src', "'unsafe-inline'", ...own],
      ['img-src', 'data:', 'blob:', ...named, ...own],
      ['media-src', 'data:', 'blob:', ...named],
      ['font-src', 'data:', ...own],
      // Already covered by `default-src`, or not covered by it. No CSP directive reliably blocks WebRTC: see
      // `frame/lock-down.ts`.
      ['frame-src', "'none'"],
      ['worker-src', "'none'"],
      ['form-action', "'none'"],
      ['base-uri', "'none'"],
      // Applies to all ancestor frames, so frames that embed the application must be listed too.
      ['frame-ancestors', "'self'", ...frameAncestors],
    ]),
    'referrer-policy': 'no-referrer',
    'x-dns-prefetch-control': 'off',
    'permissions-policy': NO_FEATURES,
  }
}
