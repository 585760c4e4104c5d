/**
 * What is known of images before they are there: their size, so that nothing jumps, and a very small copy, so that there is
 * something to see. Of this visit only; the oldest are forgotten.
 */
import type { Session } from '../../session/session.ts'
import { sizeInHeader } from './header-size.ts'
import type { Size } from './zoom.ts'

interface Known {
  size: Size
  /** Small, and of any host: it is drawn, never read. */
  thumb: ImageBitmap | null
}

const KNOWN_MAX = 500
const THUMB_WIDTH = 32
const SAMPLE = 64

/** An image inside an address is as long as the image: a few samples tell it from others, and do not hold it in memory. */
function keyOf(url: string): string {
  if (url.length <= 4 * SAMPLE) return url
  const at = [0.25, 0.5, 0.75].map(share => url.slice(Math.floor(url.length * share)).slice(0, SAMPLE))
  return [url.length, url.slice(0, SAMPLE), ...at, url.slice(-SAMPLE)].join(' ')
}

function open() {
  const known = new Map<string, Known>()

  function keep(key: string, entry: Known): void {
    known.get(key)?.thumb?.close()
    known.delete(key)
    known.set(key, entry)
    for (const [oldest, { thumb }] of known) {
      if (known.size <= KNOWN_MAX) return
      thumb?.close()
      known.delete(oldest)
    }
  }

  return {
    size: (url: string): Size | null => known.get(keyOf(url))?.size ?? sizeInHeader(url),
    thumb: (url: string): ImageBitmap | null => known.get(keyOf(url))?.thumb ?? null,
    /** Of an image that is there. */
    async remember(url: string, image: HTMLImageElement): Promise<void> {
      // A drawing may come without a size of its own.
      const size = { width: image.naturalWidth || 300, height: image.naturalHeight || 150 }
      const key = keyOf(url)
      if (known.get(key)?.thumb) return
      keep(key, { size, thumb: null })
      if (image.naturalWidth <= THUMB_WIDTH) return
      try {
        const thumb = await createImageBitmap(image, { resizeWidth: THUMB_WIDTH, resizeQuality: 'medium' })
        keep(key, { size, thumb })
      } catch {
        // Some drawings cannot be made into pixels; they have their size.
      }
    },
  }
}

export const knownImagesOf = (session: Session) => session.own(open)
