/** Images decoded ahead, so that the next record shows its own at once and without a jump of the page. */
import { toImageSource } from './image-source.ts'
import type { Size } from './zoom.ts'

const KEPT_MAX = 8
/** The images are held, so that the browser keeps what it decoded; the oldest go first. */
const ahead = new Map<string, HTMLImageElement>()
const SIZES_MAX = 500
const sizes = new Map<string, Size>()

export function rememberSize(url: string, size: Size): void {
  sizes.set(url, size)
  for (const oldest of sizes.keys()) {
    if (sizes.size <= SIZES_MAX) return
    sizes.delete(oldest)
  }
}

export const knownSize = (url: string): Size | null => sizes.get(url) ?? null

export function decodeAhead(value: unknown): void {
  const source = toImageSource(value)
  if (source === null || ahead.has(source.url)) return
  const image = new Image()
  image.referrerPolicy = 'no-referrer'
  image.src = source.url
  ahead.set(source.url, image)
  for (const oldest of ahead.keys()) {
    if (ahead.size <= KEPT_MAX) break
    ahead.delete(oldest)
  }
  image.decode().then(
    () => rememberSize(source.url, { width: image.naturalWidth, height: image.naturalHeight }),
    // The viewer says so when it is shown.
    () => ahead.delete(source.url),
  )
}
