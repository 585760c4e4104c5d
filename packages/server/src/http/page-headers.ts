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
      ['frame-src', "'self'", 'blob:'],
      ['worker-src', "'self'"],
      ['manifest-src', "'self'"],
      ['object-src', "'none'"],
      ['base-uri', "'none'"],
      ['form-action', "'self'"],
      ['frame-ancestors', "'self'", ...frameAncestors],
      ['trusted-types', 'vue', 'dompurify', 'postil'],
      ['require-trusted-types-for', "'script'"],
    ]),
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), microphone=(), geolocation=()',
  }
}

/** With a name: a scheme alone, or a star, would let a template send what it sees to anybody, as the address of a picture. */
const isNamedHost = (source: string) => !/^[a-z][a-z0-9+.-]*:$|^(?:[a-z]+:\/\/)?\*(?::[\d*]+)?\/?$/i.test(source)

/**
 * Headers of the page in which templates of datasets run. Even opened by itself it has an origin of its own, which reaches
 * nothing of ours, and no network, but for the libraries that this server has.
 */
export function sandboxHeaders({ mediaHosts, frameAncestors, templateLibraries }: FrameConfig): Record<string, string> {
  const named = mediaHosts.filter(isNamedHost)
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
      // Every frame around it counts, so those around the application too.
      ['frame-ancestors', "'self'", ...frameAncestors],
    ]),
    'referrer-policy': 'no-referrer',
    'permissions-policy': 'camera=(), microphone=(), geolocation=()',
  }
}
