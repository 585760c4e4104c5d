/** Rules for the IP addresses and host names that the server may call on behalf of a user. */
import { BlockList, isIP, isIPv4 } from 'node:net'

export interface OutgoingPolicy {
  /** Also allow addresses of this machine and of private networks. */
  allowPrivate: boolean
}

interface Kind {
  /** Completes "it is …". */
  about: string
  /** Refused even if private addresses are allowed. */
  always?: true
  ranges: readonly string[]
}

/** The first kind that contains an address decides. */
const KINDS: readonly Kind[] = [
  {
    about: 'a cloud metadata address',
    always: true,
    ranges: [
      '169.254.169.254/32', // most clouds
      '169.254.169.253/32', // AWS name server
      '169.254.170.2/32', // AWS container credentials
      '169.254.170.23/32',
      '168.63.129.16/32', // Azure, in a public range
      '100.100.100.200/32', // Alibaba
      '192.0.0.192/32', // Oracle
      'fd00:ec2::/32', // AWS
      'fd20:ce::254/128', // Google
      'fd00:42::42/128', // Scaleway
    ],
  },
  { about: 'an unspecified address', always: true, ranges: ['0.0.0.0/8', '::/128'] },
  { about: 'a multicast address', always: true, ranges: ['224.0.0.0/4', 'ff00::/8'] },
  { about: 'a broadcast or reserved address', always: true, ranges: ['240.0.0.0/4'] },
  { about: 'a loopback address', ranges: ['127.0.0.0/8', '::1/128'] },
  { about: 'a link-local address', ranges: ['169.254.0.0/16', 'fe80::/10', 'fec0::/10'] },
  { about: 'a private address', ranges: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'] },
  { about: 'a carrier-grade NAT address', ranges: ['100.64.0.0/10'] },
  {
    about: 'a documentation or benchmark address',
    ranges: ['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '198.18.0.0/15', '2001:db8::/32', '3fff::/20'],
  },
  {
    // ::/96 IPv4-compatible, 64:ff9b:1::/48 local NAT64, 2001::/23 Teredo and protocol assignments, 2002::/16 and
    // 192.88.99.0/24 6to4. Most of them carry an IPv4 address that a gateway may connect to.
    about: 'an address of a tunnel or a protocol',
    always: true,
    ranges: ['192.0.0.0/24', '192.88.99.0/24', '::/96', '64:ff9b:1::/48', '2001::/23', '2002::/16'],
  },
]

const familyOf = (address: string) => (isIPv4(address) ? 'ipv4' : 'ipv6')
const KIND_LISTS = KINDS.map(kind => ({ kind, list: toList(kind.ranges) }))
const GLOBAL_IPV6 = toList(['2000::/3'])
const METADATA_NAMES = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'metadata.azure.internal',
  'instance-data',
])
const LOCAL_NAMES = new Set(['localhost', 'localhost.localdomain', 'ip6-localhost', 'ip6-loopback'])

function toList(ranges: readonly string[]): { ipv4: BlockList; ipv6: BlockList } {
  // One list per family: a list with both finds IPv4-mapped addresses in its IPv4 ranges.
  const list = { ipv4: new BlockList(), ipv6: new BlockList() }
  for (const range of ranges) {
    const [address = '', prefix] = range.split('/')
    list[familyOf(address)].addSubnet(address, Number(prefix), familyOf(address))
  }
  return list
}

const isIn = (list: ReturnType<typeof toList>, address: string) => list[familyOf(address)].check(address, familyOf(address))

/** Returns why an IP address may not be called, or null. */
export function addressRefusal(address: string, policy: OutgoingPolicy): string | null {
  const [bare = ''] = address.split('%', 1)
  if (isIP(bare) === 0) return 'it is not an IP address'
  const embedded = embeddedIpv4(bare)
  if (embedded?.from === 'mapped' && !policy.allowPrivate) return 'it is an IPv4-mapped IPv6 address'
  // Networks with NAT64 resolve every IPv4-only name to such an address, so the IPv4 address decides.
  const judged = embedded?.address ?? bare
  const kind = KIND_LISTS.find(({ list }) => isIn(list, judged))?.kind
  if (kind !== undefined) return kind.always || !policy.allowPrivate ? `it is ${kind.about}` : null
  return isIPv4(judged) || isIn(GLOBAL_IPV6, judged) ? null : 'it is not a public address'
}

/** Returns why a host name may not be called, regardless of its addresses, or null. */
export function nameRefusal(name: string, policy: OutgoingPolicy): string | null {
  const plain = name.toLowerCase().replace(/\.+$/, '')
  if (METADATA_NAMES.has(plain)) return 'it is the name of a cloud metadata service'
  const isLocal = LOCAL_NAMES.has(plain) || plain.endsWith('.localhost')
  return isLocal && !policy.allowPrivate ? 'it is the name of this machine' : null
}

/** Returns the IPv4 address in an IPv4-mapped (`::ffff:0:0/96`) or NAT64 (`64:ff9b::/96`) address. */
function embeddedIpv4(address: string): { from: 'mapped' | 'nat64'; address: string } | null {
  if (isIPv4(address)) return null
  const groups = toGroups(address)
  const prefix = groups.slice(0, 6).join(':')
  const from = ({ '0:0:0:0:0:65535': 'mapped', '100:65435:0:0:0:0': 'nat64' } as const)[prefix]
  if (from === undefined) return null
  const [high = 0, low = 0] = groups.slice(6)
  return { from, address: [high >> 8, high & 255, low >> 8, low & 255].join('.') }
}

/** Returns the eight groups of an IPv6 address. */
function toGroups(address: string): number[] {
  // The URL parser writes an IPv4 part as two groups.
  const [before = '', after] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const toNumbers = (part: string) => (part === '' ? [] : part.split(':').map(group => Number.parseInt(group, 16)))
  const head = toNumbers(before)
  const tail = toNumbers(after ?? '')
  return [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail]
}
