/**
 * Cache of image sizes and thumbnails: sizes prevent layout shifts, and thumbnails are shown while images load. Kept for this
 * visit only; the oldest are removed.
 */
import type { Session } from '../../session/session.ts'
import { sizeInHeader } from './header-size.ts'
import type { Size } from './zoom.ts'

interface Known {
  size: Size
  /** Small bitmap of an image from any host; it is drawn but never read. */
  thumb: ImageBitmap | null
}

const KNOWN_MAX = 500
const THUMB_WIDTH = 32
const SAMPLE = 64

/** Data URLs are as long as their image, so a few samples serve as the key instead of the whole URL. */
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
    /** Stores the size and a thumbnail of a loaded image. */
    async remember(url: string, image: HTMLImageElement): Promise<void> {
      // SVG images may have no intrinsic size.
      const size = { width: image.naturalWidth || 300, height: image.naturalHeight || 150 }
      const key = keyOf(url)
      if (known.get(key)?.thumb) return
      keep(key, { size, thumb: null })
      if (image.naturalWidth <= THUMB_WIDTH) return
      try {
        const thumb = await createImageBitmap(image, { resizeWidth: THUMB_WIDTH, resizeQuality: 'medium' })
        keep(key, { size, thumb })
      } catch {
        // Some SVG images cannot be rasterised; their size is stored.
      }
    },
  }
}

export const knownImagesOf = (session: Session) => session.own(open)
