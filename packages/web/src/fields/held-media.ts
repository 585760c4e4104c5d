/**
 * Images, audio and video in rendered markdown: loaded if their hosts are allowed, otherwise replaced by a placeholder that asks
 * for permission.
 */
import { t } from '../i18n/i18n.ts'
import type { ImageHosts } from './image-hosts.ts'

/** Attribute to which the sanitizer moves URLs, so that nothing is requested before the host is allowed. */
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

/** Returns the host of the clicked placeholder, or null. */
export function hostAt({ target }: Event): string | null {
  const button = target instanceof Element ? target.closest<HTMLElement>('.held-media > [data-host]') : null
  return button?.dataset.host ?? null
}
