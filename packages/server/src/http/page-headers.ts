/** What browsers are told about the pages of the web UI: what they may load, run and be shown in. */
import type { Config } from '../config.ts'

type PageConfig = Pick<Config, 'mediaHosts' | 'frameAncestors'>
type FrameConfig = PageConfig & Pick<Config, 'templateLibraries'>

const policy = (directives: string[][]) => directives.map(words => words.join(' ')).join('; ')

/** Headers of every page of the application. */
export function pageHeaders({ mediaHosts, frameAncestors }: PageConfig): Record<string, string> {
  return {
    'content-security-policy': policy([
      ['default-src', "'self'"],
      ['script-src', "'self'"],
      ['style-src', "'self'"],
      ['img-src', "'self'", 'data:', 'blob:', ...mediaHosts],
      ['media-src', "'self'", 'data:', 'blob:', ...mediaHosts],
      ['connect-src', "'self'"],
      // Not `blob:`: a template could move its frame to a document of its own, in which nothing is locked.
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

/** With a name: a scheme alone, or a star, would let a template send what it sees to anybody, as the address of an image. */
const isNamedHost = (source: string) => !/^[a-z][a-z0-9+.-]*:$|^(?:[a-z]+:\/\/)?\*(?::[\d*]+)?\/?$/i.test(source)

const IMAGE_HOSTS_MAX = 100
const HOST = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*(?::\d{1,5})?$/

/** The hosts that the address of a frame names: those that the lead or the person allowed in a dataset. */
const readImageHosts = (search: string): string[] =>
  (new URLSearchParams(search).get('images') ?? '')
    .split(',')
    .filter(host => HOST.test(host))
    .slice(0, IMAGE_HOSTS_MAX)

/** The schemes of which the settings allow every host. */
const openSchemes = (mediaHosts: readonly string[]) => [
  ...(mediaHosts.some(source => ['*', 'https:', 'http:'].includes(source)) ? ['https:'] : []),
  ...(mediaHosts.some(source => ['*', 'http:'].includes(source)) ? ['http:'] : []),
]

/** Not all of these are asked for by browsers; what they do not know they ignore. */
const NO_FEATURES = [
  'autoplay, bluetooth, browsing-topics, camera, clipboard-read, clipboard-write, display-capture, encrypted-media, fullscreen',
  'gamepad, geolocation, hid, identity-credentials-get, idle-detection, local-fonts, microphone, midi, otp-credentials, payment',
  'picture-in-picture, publickey-credentials-get, screen-wake-lock, serial, storage-access, usb, web-share, window-management',
]
  .flatMap(names => names.split(', '))
  .map(name => `${name}=()`)
  .join(', ')

/**
 * Headers of the page in which templates of datasets run. Even opened by itself it has an origin of its own, which reaches
 * nothing of ours, and no network, but for the libraries that this server has and images of hosts that were allowed.
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
      // What `default-src` refuses already, or does not cover. There is no working directive for WebRTC: see `frame/lock-down.ts`.
      ['frame-src', "'none'"],
      ['worker-src', "'none'"],
      ['form-action', "'none'"],
      ['base-uri', "'none'"],
      // Every frame around it counts, so those around the application too.
      ['frame-ancestors', "'self'", ...frameAncestors],
    ]),
    'referrer-policy': 'no-referrer',
    'x-dns-prefetch-control': 'off',
    'permissions-policy': NO_FEATURES,
  }
}
