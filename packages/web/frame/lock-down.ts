/**
 * Removes browser APIs that the frame's Content-Security-Policy cannot block, before a template runs. There is no CSP directive
 * for WebRTC, and a nested frame would provide it again. Nested documents run their scripts in a later task, so a mutation
 * observer removes every nested frame first. Observers do not see into shadow trees, so each shadow tree gets its own observer
 * when it is created.
 *
 * Templates may replace anything on prototypes. Code that runs later therefore uses only references saved here, before a template
 * runs.
 */

/** Globals that give access to the network, or to other realms that have it. */
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

const lockProperty = (target: object, name: string, value: unknown) =>
  Object.defineProperty(target, name, { value, writable: false, configurable: false, enumerable: false })

function removeNested(root: Document | ShadowRoot, all: typeof allInDocument | typeof allInTree): void {
  const found: NodeListOf<Element> = apply(all, root, [NESTED])
  // Does not use `length` or an iterator, because a template may have replaced them.
  for (let i = 0; found[i] !== undefined; i++) apply(remove, found[i], [])
}

function watch(root: Document | ShadowRoot, all: typeof allInDocument | typeof allInTree): void {
  const observer = new Observer(() => removeNested(root, all))
  apply(observe, observer, [root, { childList: true, subtree: true }])
}

function guardShadowTrees(): void {
  lockProperty(Element.prototype, 'attachShadow', function (this: Element, options: ShadowRootInit) {
    // Not clonable, because a clone of the host would have a shadow tree without an observer.
    const root: ShadowRoot = apply(attachShadow, this, [{ ...options, clonable: false }])
    watch(root, allInTree)
    return root
  })
  // These methods create shadow trees from markup.
  for (const owner of [Element.prototype, ShadowRoot.prototype, Document.prototype, Document, Range.prototype])
    for (const name of Object.getOwnPropertyNames(owner)) if (name.endsWith('HTMLUnsafe')) lockProperty(owner, name, undefined)
}

/** Disables declarative shadow trees in the template's own markup. */
const withoutShadowTrees = (html: string) => html.replace(/shadowrootmode/gi, 'data-$&')

/**
 * Replaces `document.write` with a function that inserts complete elements. The original parses markup in pieces, in which shadow
 * trees cannot be detected.
 */
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
  lockProperty(Document.prototype, 'write', insert)
  lockProperty(Document.prototype, 'writeln', (...texts: string[]) => insert(...texts, '\n'))
  lockProperty(Document.prototype, 'open', () => document)
  lockProperty(Document.prototype, 'close', () => undefined)
  return {
    open: () => void apply(open, document, []),
    write: html => void apply(write, document, [withoutShadowTrees(html)]),
    close: () => void apply(close, document, []),
  }
}

/** Locks down the document and returns the original writing functions, which the frame uses to write a template. */
export function lockDown(): Writer {
  for (const name of Object.getOwnPropertyNames(window)) if (REMOVED.test(name)) lockProperty(window, name, undefined)
  guardShadowTrees()
  watch(document, allInDocument)
  return replaceWriting()
}
