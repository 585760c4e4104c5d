/** A list of hosts in this browser. Without storage, what a person allows holds for this visit. */
import { toHost } from './web-address.ts'

export function readHosts(key: string): string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? '[]')
    return Array.isArray(stored) ? stored.flatMap(host => (typeof host === 'string' ? (toHost(host) ?? []) : [])) : []
  } catch {
    return []
  }
}

export function storeHosts(key: string, hosts: readonly string[]): void {
  try {
    localStorage.setItem(key, JSON.stringify(hosts))
  } catch {
    // The list in memory holds until the page is left.
  }
}
