/**
 * The only place where HTML from data becomes elements. Only allow-listed tags and attributes are kept.
 *
 * The result is a fragment, never a string, because HTML that is parsed a second time can change its meaning (mutation XSS).
 * Names, ids and styles are removed because they affect the page outside the text; classes other than those of our renderers are
 * removed because our styles could place a text over the page. Loaded only by `markdown.ts`, on first use.
 */
import purifier from 'dompurify'
import { toForeignUrl } from '../web-address.ts'
import { HELD } from './held-media.ts'

const TAGS = [
  'a abbr b bdi bdo blockquote br cite code dd del details dfn div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i img ins kbd',
  'li mark ol p pre q rp rt ruby s samp small span strong sub summary sup table caption tbody td tfoot th thead tr u ul var wbr',
  'audio video source',
  'math mi mn mo ms mspace mtext mrow mfrac msqrt mroot mstyle merror mpadded mphantom menclose msub msup msubsup munder mover',
  'munderover mmultiscripts mtable mtr mtd',
].flatMap(names => names.split(' '))

const ATTRIBUTES = [
  'href src alt title lang dir class colspan rowspan scope align start reversed open cite datetime width height controls type',
  'display displaystyle scriptlevel mathvariant mathcolor mathbackground mathsize stretchy fence separator accent accentunder',
  'lspace rspace depth voffset minsize maxsize symmetric largeop movablelimits linethickness columnalign columnspacing columnlines',
  'rowalign rowspacing rowlines columnspan notation xmlns',
].flatMap(names => names.split(' '))

/** Classes written by our own renderers. */
const OWN_CLASS = /^(?:hljs(?:[-_][a-z]+)*|katex-error|task)$/
/** Blocks whose direction follows their own text. Lists are treated as a whole, so that all bullets are on the same side. */
const DIRECTED = new Set(['P', 'H1', 'H2', 'H3', 'H4', 'H5', 'H6', 'UL', 'OL', 'DL', 'TD', 'TH', 'SUMMARY', 'FIGCAPTION'])

const MEDIA: Record<string, RegExp> = {
  IMG: /^data:image\/[a-z0-9.+-]+[;,]/i,
  AUDIO: /^data:audio\/[a-z0-9.+-]+[;,]/i,
  VIDEO: /^data:video\/[a-z0-9.+-]+[;,]/i,
  SOURCE: /^data:(?:audio|video)\/[a-z0-9.+-]+[;,]/i,
}

/** Links to this server become plain text, because a record must not make users open URLs with their session. */
function toLinkUrl(text: string): URL | null {
  if (!/^\s*mailto:/i.test(text)) return toForeignUrl(text)
  const url = URL.parse(text)
  return url?.protocol === 'mailto:' ? url : null
}

function finishLink(link: Element): void {
  const url = toLinkUrl(link.getAttribute('href') ?? '')
  if (url === null) {
    link.removeAttribute('href')
    link.removeAttribute('title')
    return
  }
  link.setAttribute('href', url.href)
  link.setAttribute('target', '_blank')
  link.setAttribute('rel', 'noopener noreferrer nofollow')
  // Shows the actual target, whatever the link text says.
  link.setAttribute('title', url.host || url.pathname)
}

function finishMedia(element: Element): void {
  holdAddress(element)
  if (element.tagName === 'IMG') {
    element.setAttribute('loading', 'lazy')
    element.setAttribute('decoding', 'async')
    element.setAttribute('referrerpolicy', 'no-referrer')
    if (!element.hasAttribute('alt')) element.setAttribute('alt', '')
  } else if (element.tagName !== 'SOURCE') {
    element.setAttribute('controls', '')
    element.setAttribute('preload', 'none')
  }
}

/** Keeps media embedded as data URLs; `placeMedia` decides about other URLs. */
function holdAddress(element: Element): void {
  const address = element.getAttribute('src') ?? ''
  if (MEDIA[element.tagName]?.test(address.trim())) return
  element.removeAttribute('src')
  const url = toForeignUrl(address)
  if (url !== null) element.setAttribute(HELD, url.href)
}

function keepOwnClasses(element: Element): void {
  const kept = [...element.classList].filter(name => OWN_CLASS.test(name))
  if (kept.length > 0) element.setAttribute('class', kept.join(' '))
  else element.removeAttribute('class')
}

purifier.addHook('afterSanitizeAttributes', element => {
  keepOwnClasses(element)
  if (DIRECTED.has(element.tagName) && !element.hasAttribute('dir')) element.setAttribute('dir', 'auto')
  if (element.tagName === 'A') finishLink(element)
  else element.removeAttribute('href')
  if (element.tagName in MEDIA) finishMedia(element)
  else element.removeAttribute('src')
})

/** Converts untrusted HTML to safe elements. They are not part of a document, so nothing is loaded yet. */
export function sanitize(html: string): DocumentFragment {
  return purifier.sanitize(html, {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ATTRIBUTES,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    // Elements that are removed with their content.
    FORBID_CONTENTS: [
      'script',
      'style',
      'iframe',
      'template',
      'noscript',
      'noembed',
      'noframes',
      'object',
      'title',
      'svg',
      'textarea',
      'xmp',
      'plaintext',
      'annotation',
      'annotation-xml',
    ],
    RETURN_DOM_FRAGMENT: true,
  })
}
