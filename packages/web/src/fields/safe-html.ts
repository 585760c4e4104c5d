/**
 * The only place where HTML from data becomes elements: what is on the allow-list stays, everything else goes.
 *
 * The result is a fragment, never a string: text that is parsed a second time may mean something else the second time.
 * Names, ids and styles are refused because they reach beyond the text they stand in; classes but our own, because ours can lay
 * a text over the page. Loaded only by `markdown.ts`, when a text first needs it.
 */
import purifier from 'dompurify'

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

/** Classes that our own renderers write. */
const OWN_CLASS = /^(?:hljs(?:[-_][a-z]+)*|katex-error|task)$/
/** Blocks whose direction follows their own text; lists as a whole, so that their marks stand on one side. */
const DIRECTED = new Set(['P', 'H1', 'H2', 'H3', 'H4', 'H5', 'H6', 'UL', 'OL', 'DL', 'TD', 'TH', 'SUMMARY', 'FIGCAPTION'])

const MEDIA: Record<string, RegExp> = {
  IMG: /^data:image\/[a-z0-9.+-]+[;,]/i,
  AUDIO: /^data:audio\/[a-z0-9.+-]+[;,]/i,
  VIDEO: /^data:video\/[a-z0-9.+-]+[;,]/i,
  SOURCE: /^data:(?:audio|video)\/[a-z0-9.+-]+[;,]/i,
}

/** An absolute address of the web, or null. Relative ones would be read as addresses of this server. */
function toWebUrl(text: string): URL | null {
  const url = /^\s*(?:https?|mailto):/i.test(text) ? URL.parse(text) : null
  return url !== null && ['https:', 'http:', 'mailto:'].includes(url.protocol) ? url : null
}

const isMediaUrl = (element: Element, text: string) =>
  /^https?:$/.test(toWebUrl(text)?.protocol ?? '') || (MEDIA[element.tagName]?.test(text.trim()) ?? false)

function finishLink(link: Element): void {
  const url = toWebUrl(link.getAttribute('href') ?? '')
  if (url === null) {
    link.removeAttribute('href')
    link.removeAttribute('title')
    return
  }
  link.setAttribute('target', '_blank')
  link.setAttribute('rel', 'noopener noreferrer nofollow')
  // Where it leads, whatever it says.
  link.setAttribute('title', url.host || url.pathname)
}

function finishMedia(element: Element): void {
  if (!isMediaUrl(element, element.getAttribute('src') ?? '')) element.removeAttribute('src')
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

/** HTML of unknown origin as elements that are safe to show. They belong to no page yet, so nothing is loaded. */
export function sanitize(html: string): DocumentFragment {
  return purifier.sanitize(html, {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ATTRIBUTES,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    // What is not text of its own vanishes with everything inside.
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
