/**
 * Hosts from which records load images, sound and video. Each request tells a host who reads which record and when, so a host is
 * asked only after the operator, the lead or the person allowed it.
 */
import { type InjectionKey, inject, provide, shallowRef } from 'vue'
import { isOwnHost } from '../web-address.ts'
import { hostSources, isNamed, matchesSource } from './host-sources.ts'

export interface ImageHosts {
  /** Reactive. */
  isAllowed(url: string): boolean
  /** False when the settings of the server refuse the host, or when this page has nobody to ask. */
  canAllow(url: string): boolean
  allow(host: string): void
  /** What the lead and the person allowed. Reactive. */
  list(): readonly string[]
}

interface ImageHostsOptions {
  /** What the lead allowed for everybody. */
  shared: () => readonly string[]
  /** What this person allowed in this dataset, in earlier visits. `keep` may fail to store it. */
  personal: { read(): readonly string[]; keep(hosts: string[]): void }
}

const isNamedByServer = (url: URL) => hostSources().some(source => isNamed(source) && matchesSource(source, url))

function openImageHosts({ shared, personal }: ImageHostsOptions): ImageHosts {
  const allowed = shallowRef<readonly string[]>(personal.read())
  const list = () => [...new Set([...shared(), ...allowed.value])]
  return {
    list,
    isAllowed(address) {
      const url = URL.parse(address)
      if (url === null || isOwnHost(url.hostname)) return false
      return isNamedByServer(url) || list().includes(url.host)
    },
    canAllow(address) {
      const url = URL.parse(address)
      return url !== null && !isOwnHost(url.hostname) && hostSources().some(source => matchesSource(source, url))
    },
    allow(host) {
      // Another tab may have allowed others meanwhile.
      allowed.value = [...new Set([...personal.read(), ...allowed.value, host])]
      personal.keep([...allowed.value])
    },
  }
}

const IMAGE_HOSTS: InjectionKey<ImageHosts> = Symbol('image hosts')

/** For pages outside a dataset: only what the operator named is loaded. */
const CLOSED: ImageHosts = {
  list: () => [],
  isAllowed: address => {
    const url = URL.parse(address)
    return url !== null && !isOwnHost(url.hostname) && isNamedByServer(url)
  },
  canAllow: () => false,
  allow: () => undefined,
}

export const useImageHosts = (): ImageHosts => inject(IMAGE_HOSTS, CLOSED)

/** For everything below this component. */
export function provideImageHosts(options: ImageHostsOptions): ImageHosts {
  const hosts = openImageHosts(options)
  provide(IMAGE_HOSTS, hosts)
  return hosts
}
