/** Client addresses: which proxies are trusted to report them, and how addresses are grouped for rate limits. */
import { BlockList, isIP, isIPv4 } from 'node:net'

const WORDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['loopback', ['127.0.0.0/8', '::1/128']],
  ['linklocal', ['169.254.0.0/16', 'fe80::/10']],
  ['uniquelocal', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7']],
])

/** Parses addresses and ranges, separated by whitespace or commas, into ranges; undefined if one is invalid. */
export function toAddressRanges(given: string): string[] | undefined {
  if (given.toLowerCase() === 'none') return []
  const ranges = given
    .split(/[\s,]+/)
    .filter(word => word !== '')
    .flatMap((word): readonly (string | undefined)[] => WORDS.get(word.toLowerCase()) ?? [toRange(word)])
  return ranges.every(range => range !== undefined) ? ranges : undefined
}

/** Refuses a range of all addresses, because then every client could forge its address. */
function toRange(word: string): string | undefined {
  const [address = '', prefix, ...rest] = word.split('/')
  const bits = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0
  if (bits === 0 || address.includes('%') || rest.length > 0) return undefined
  if (prefix === undefined) return `${address}/${bits}`
  return /^\d{1,3}$/.test(prefix) && Number(prefix) >= 1 && Number(prefix) <= bits ? word : undefined
}

export interface TrustedProxies {
  /** True if forwarding headers on a connection from this address can be trusted. */
  isTrusted(connection: string | undefined): boolean
  /**
   * Returns the client's address: that of the connection or, behind trusted proxies, the last address that is not a trusted
   * proxy.
   */
  clientAddress(connection: string | undefined, forwardedFor: string | undefined): string
}

export function createTrustedProxies(ranges: readonly string[]): TrustedProxies {
  const trusted = new BlockList()
  for (const range of ranges) {
    const [address = '', prefix] = range.split('/')
    trusted.addSubnet(address, Number(prefix), familyOf(address))
  }
  const isTrusted = (address: string) => ranges.length > 0 && isIP(address) !== 0 && trusted.check(address, familyOf(address))
  return {
    isTrusted: connection => isTrusted(toPlain(connection ?? '') ?? ''),
    clientAddress: (connection, forwardedFor) => {
      let client = toPlain(connection ?? '') ?? ''
      // Each proxy appends the address of its client. Entries before the last untrusted address may be forged.
      const hops = isTrusted(client) && forwardedFor !== undefined ? forwardedFor.split(',') : []
      while (isTrusted(client)) {
        const hop = toPlain(withoutPort(hops.pop()?.trim() ?? ''))
        if (hop === null) break
        client = hop
      }
      return client
    },
  }
}

const familyOf = (address: string) => (isIPv4(address) ? 'ipv4' : 'ipv6')

/** Removes the port that some proxies add: `1.2.3.4:5678` and `[::1]:5678`. */
const withoutPort = (hop: string) => /^\[([^\]]*)\](?::\d{1,5})?$/.exec(hop)?.[1] ?? /^(\d[\d.]*):\d{1,5}$/.exec(hop)?.[1] ?? hop

/** Returns the canonical form of an address, with IPv4-mapped IPv6 as IPv4; null if it is invalid. */
function toPlain(address: string): string | null {
  const bare = address.split('%', 1)[0] ?? ''
  if (isIP(bare) !== 6) return isIPv4(bare) ? bare : null
  const spelled = new URL(`http://[${bare}]`).hostname.slice(1, -1)
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(spelled) ?? []
  if (high === undefined || low === undefined) return spelled
  const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low, 16)]
  return [a >> 8, a & 255, b >> 8, b & 255].join('.')
}

/**
 * Returns the key for rate limits: an IPv4 address, or the /64 of an IPv6 address, because one client can use any address in it.
 */
export function toRateLimitKey(address: string): string {
  if (isIP(address) !== 6) return address
  const [before = '', after] = address.split('::')
  const head = before === '' ? [] : before.split(':')
  const tail = after === undefined || after === '' ? [] : after.split(':')
  const groups = after === undefined ? head : [...head, ...Array(8 - head.length - tail.length).fill('0'), ...tail]
  return `${groups.slice(0, 4).join(':')}::/64`
}
