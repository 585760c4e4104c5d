/**
 * Hosts from which records load images, audio and video. Each request reveals to the host who reads which record and when, so a
 * host must be allowed by the operator, an admin of the dataset or the user.
 */
import { type InjectionKey, inject, provide, shallowRef } from 'vue'
import { isOwnHost } from '../web-address.ts'
import { hostSources, isNamed, matchesSource } from './host-sources.ts'

export interface ImageHosts {
  /** Reactive. */
  isAllowed(url: string): boolean
  /** False if the server's settings block the host, or if this page cannot ask the user. */
  canAllow(url: string): boolean
  allow(host: string): void
  /** Hosts allowed by the dataset options or the user. Reactive. */
  list(): readonly string[]
}

interface ImageHostsOptions {
  /** Hosts that the dataset options allow for all users. */
  shared: () => readonly string[]
  /** Hosts that this user allowed for this dataset on earlier visits. `keep` may fail to store them. */
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
      // Read again, because another tab may have allowed other hosts.
      allowed.value = [...new Set([...personal.read(), ...allowed.value, host])]
      personal.keep([...allowed.value])
    },
  }
}

const IMAGE_HOSTS: InjectionKey<ImageHosts> = Symbol('image hosts')

/** For pages outside a dataset: only hosts named by the operator are allowed. */
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

/** Provides the hosts to all components below this one. */
export function provideImageHosts(options: ImageHostsOptions): ImageHosts {
  const hosts = openImageHosts(options)
  provide(IMAGE_HOSTS, hosts)
  return hosts
}
