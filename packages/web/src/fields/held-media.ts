/** Images, sound and video in rendered markdown: loaded when their hosts are allowed, otherwise a placeholder that asks for it. */
import { t } from '../i18n/i18n.ts'
import type { ImageHosts } from './image-hosts.ts'

/** The sanitizer moves addresses here, so that nothing is requested before somebody decides about the host. */
export const HELD = 'data-held-src'

export function placeMedia(fragment: DocumentFragment, hosts: ImageHosts): void {
  for (const medium of fragment.querySelectorAll('img, audio, video')) {
    const held = [medium, ...medium.querySelectorAll('source')].filter(element => element.hasAttribute(HELD))
    const refused = held.map(addressOf).find(url => !hosts.isAllowed(url))
    if (refused !== undefined) medium.replaceWith(toPlaceholder(medium, refused, hosts))
    else for (const element of held) element.setAttribute('src', addressOf(element))
  }
}

const addressOf = (element: Element) => element.getAttribute(HELD) ?? ''

function toPlaceholder(medium: Element, url: string, hosts: ImageHosts): HTMLElement {
  const place = document.createElement('span')
  place.className = 'held-media'
  place.title = url
  for (const side of ['width', 'height'] as const) {
    const pixels = Number(medium.getAttribute(side))
    if (pixels > 0) place.style[side] = `${pixels}px`
  }
  place.append(toOffer(new URL(url).host, hosts.canAllow(url)))
  return place
}

function toOffer(host: string, canAllow: boolean): HTMLElement {
  const offer = document.createElement(canAllow ? 'button' : 'span')
  offer.textContent = canAllow ? t('fields.load_images', { host }) : t('fields.images_refused', { host })
  if (offer instanceof HTMLButtonElement) {
    offer.type = 'button'
    offer.className = 'btn line'
    offer.dataset.host = host
  }
  return offer
}

/** The host that a click on a placeholder allows, or null. */
export function hostAt({ target }: Event): string | null {
  const button = target instanceof Element ? target.closest<HTMLElement>('.held-media > [data-host]') : null
  return button?.dataset.host ?? null
}
