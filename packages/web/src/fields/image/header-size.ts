/** Reads the size of an image in a data URL from its first bytes, synchronously and without decoding it. */
import type { Size } from './zoom.ts'

/** Enough for the segments before the size, including the colour profile of a photo. */
const BYTES_MAX = 16_384
const BASE64 = /^data:image\/(?:png|gif|webp|jpe?g);base64,/i

/** Returns null if the size cannot be determined without decoding. */
export function sizeInHeader(url: string): Size | null {
  const [head] = BASE64.exec(url) ?? []
  if (head === undefined) return null
  const bytes = decode(url.slice(head.length, head.length + Math.ceil(BYTES_MAX / 3) * 4))
  const size = bytes && readSize(bytes)
  return size && size.width > 0 && size.height > 0 ? size : null
}

function decode(text: string): DataView | null {
  try {
    // Only complete groups of four base64 characters.
    const binary = atob(text.slice(0, text.length - (text.length % 4)))
    return new DataView(Uint8Array.from(binary, sign => sign.charCodeAt(0)).buffer)
  } catch {
    return null
  }
}

const textAt = (view: DataView, at: number, length: number) =>
  Array.from({ length }, (_, i) => String.fromCharCode(view.getUint8(at + i))).join('')

function readSize(view: DataView): Size | null {
  if (view.byteLength < 32) return null
  if (view.getUint32(0) === 0x89504e47) return { width: view.getUint32(16), height: view.getUint32(20) }
  if (textAt(view, 0, 3) === 'GIF') return { width: view.getUint16(6, true), height: view.getUint16(8, true) }
  if (textAt(view, 0, 4) === 'RIFF' && textAt(view, 8, 4) === 'WEBP') return readWebp(view)
  return view.getUint16(0) === 0xffd8 ? readJpeg(view) : null
}

function readWebp(view: DataView): Size | null {
  const uint24 = (at: number) => view.getUint16(at, true) + view.getUint8(at + 2) * 65_536
  switch (textAt(view, 12, 4)) {
    case 'VP8X':
      return { width: uint24(24) + 1, height: uint24(27) + 1 }
    case 'VP8 ':
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
    case 'VP8L': {
      const bits = view.getUint32(21, true)
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
    }
    default:
      return null
  }
}

const EXIF = 0xffe1

/** Scans segments until the one with the size. Returns null if there is EXIF data, because the image may be rotated. */
function readJpeg(view: DataView): Size | null {
  for (let at = 2; at + 9 < view.byteLength; at += 2 + view.getUint16(at + 2)) {
    const marker = view.getUint16(at)
    if (marker === EXIF) return null
    const isFrame = marker >= 0xffc0 && marker <= 0xffcf && ![0xffc4, 0xffc8, 0xffcc].includes(marker)
    if (isFrame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) }
    if (marker < 0xff00) return null
  }
  return null
}
