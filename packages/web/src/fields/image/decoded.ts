/** Decodes images ahead of time, so that the next record shows its images immediately and without layout shifts. */
import type { Session } from '../../session/session.ts'
import type { ImageHosts } from '../image-hosts.ts'
import { toImageSource } from './image-source.ts'
import { knownImagesOf } from './known-images.ts'

const KEPT_MAX = 8

function open(session: Session) {
  /** References to the images, so that the browser keeps the decoded data. The oldest are removed first. */
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
        // The viewer reports the error when it shows the image.
        () => ahead.delete(source.url),
      )
    },
  }
}

export const decodedOf = (session: Session) => session.own(open)
