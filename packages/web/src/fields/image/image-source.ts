/** Source of an image. URLs of this server are rejected, because a record must not make the user's browser request them. */
import { toForeignUrl } from '../../web-address.ts'

export interface ImageSource {
  url: string
  /** Format such as `PNG`; empty if the URL does not show it. */
  kind: string
  /** Null for an image embedded in the record. */
  host: string | null
}

const KINDS: Record<string, string> = { 'SVG+XML': 'SVG', JPG: 'JPEG', 'VND.MICROSOFT.ICON': 'ICO', 'X-ICON': 'ICO', TIF: 'TIFF' }
const EXTENSION = /\.(png|jpe?g|gif|webp|avif|svg|bmp|ico|tiff?)$/i

const kindOf = (name: string) => {
  const upper = name.toUpperCase()
  return Object.hasOwn(KINDS, upper) ? (KINDS[upper] ?? upper) : upper
}

/** Returns null if the value is not a valid image URL. */
export function toImageSource(value: unknown): ImageSource | null {
  if (typeof value !== 'string') return null
  const text = value.trim()
  const inline = /^data:image\/([a-z0-9.+-]{1,32})[;,]/i.exec(text)
  if (inline) return { url: text, kind: kindOf(inline[1] ?? ''), host: null }
  const url = toForeignUrl(text)
  if (url === null) return null
  return { url: url.href, kind: kindOf(EXTENSION.exec(url.pathname)?.[1] ?? ''), host: url.host }
}
