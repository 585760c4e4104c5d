/**
 * Takes away what the frame's policy cannot refuse, before a template runs: browsers have no policy for WebRTC, and a nested frame
 * would have it again. Nested documents run their scripts in a later task, so that an observer can remove every nested frame
 * first; where an observer cannot look, in shadow trees, each tree gets one when it is made.
 *
 * Templates may replace anything on prototypes. What runs later therefore uses only what is taken here, before they run.
 */

/** Ways to the network, and to other realms that have them. */
const REMOVED = /^(?:webkit)?RTC|^(?:WebTransport|WebSocket|EventSource|fetchLater|Worker|SharedWorker)|FencedFrame/
const NESTED = 'iframe, frame, frameset, object, embed, fencedframe'

const { apply } = Reflect
const Observer = MutationObserver
const { observe } = Observer.prototype
const { attachShadow, remove } = Element.prototype
const { querySelectorAll: allInDocument } = Document.prototype
const { querySelectorAll: allInTree } = DocumentFragment.prototype

interface Writer {
  open(): void
  write(html: string): void
  close(): void
}

const fix = (target: object, name: string, value: unknown) =>
  Object.defineProperty(target, name, { value, writable: false, configurable: false, enumerable: false })

function removeNested(root: Document | ShadowRoot, all: typeof allInDocument | typeof allInTree): void {
  const found: NodeListOf<Element> = apply(all, root, [NESTED])
  // Not by `length` or an iterator, which a template may have replaced.
  for (let i = 0; found[i] !== undefined; i++) apply(remove, found[i], [])
}

function watch(root: Document | ShadowRoot, all: typeof allInDocument | typeof allInTree): void {
  const observer = new Observer(() => removeNested(root, all))
  apply(observe, observer, [root, { childList: true, subtree: true }])
}

function guardShadowTrees(): void {
  fix(Element.prototype, 'attachShadow', function (this: Element, options: ShadowRootInit) {
    // A copy made with its host would be a tree without an observer.
    const root: ShadowRoot = apply(attachShadow, this, [{ ...options, clonable: false }])
    watch(root, allInTree)
    return root
  })
  // These make shadow trees out of markup.
  for (const owner of [Element.prototype, ShadowRoot.prototype, Document.prototype, Document, Range.prototype])
    for (const name of Object.getOwnPropertyNames(owner)) if (name.endsWith('HTMLUnsafe')) fix(owner, name, undefined)
}

/** Shadow trees in the markup of a template itself. */
const withoutShadowTrees = (html: string) => html.replace(/shadowrootmode/gi, 'data-$&')

/** `document.write` parses markup in pieces, in which shadow trees cannot be found: a template writes whole elements. */
function replaceWriting(): Writer {
  const { open, write, close } = Document.prototype
  const insert = (...texts: string[]) => {
    const script = document.currentScript
    const range = document.createRange()
    range.selectNodeContents(document.body)
    const fragment = range.createContextualFragment(texts.join(''))
    if (script?.parentNode) script.before(fragment)
    else document.body.append(fragment)
  }
  fix(Document.prototype, 'write', insert)
  fix(Document.prototype, 'writeln', (...texts: string[]) => insert(...texts, '\n'))
  fix(Document.prototype, 'open', () => document)
  fix(Document.prototype, 'close', () => undefined)
  return {
    open: () => void apply(open, document, []),
    write: html => void apply(write, document, [withoutShadowTrees(html)]),
    close: () => void apply(close, document, []),
  }
}

/** How the frame itself writes a template. */
export function lockDown(): Writer {
  for (const name of Object.getOwnPropertyNames(window)) if (REMOVED.test(name)) fix(window, name, undefined)
  guardShadowTrees()
  watch(document, allInDocument)
  return replaceWriting()
}
