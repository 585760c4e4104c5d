/** Images decoded ahead, so that the next record shows its own at once and without a jump of the page. */
import type { Session } from '../../session/session.ts'
import type { ImageHosts } from '../image-hosts.ts'
import { toImageSource } from './image-source.ts'
import { knownImagesOf } from './known-images.ts'

const KEPT_MAX = 8

function open(session: Session) {
  /** The images are held, so that the browser keeps what it decoded; the oldest go first. */
  const ahead = new Map<string, HTMLImageElement>()
  return {
    decodeAhead(value: unknown, hosts: ImageHosts): void {
      const source = toImageSource(value)
      if (source === null || ahead.has(source.url)) return
      if (source.host !== null && !hosts.isAllowed(source.url)) return
      const image = new Image()
      image.referrerPolicy = 'no-referrer'
      image.src = source.url
      ahead.set(source.url, image)
      for (const oldest of ahead.keys()) {
        if (ahead.size <= KEPT_MAX) break
        ahead.delete(oldest)
      }
      image.decode().then(
        () => knownImagesOf(session).remember(source.url, image),
        // The viewer says so when it is shown.
        () => ahead.delete(source.url),
      )
    },
  }
}

export const decodedOf = (session: Session) => session.own(open)
