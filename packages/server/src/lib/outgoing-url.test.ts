import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OutgoingError, post, urlRefusal } from './outgoing.ts'

const STRICT = { allowPrivate: false }

/**
 * Spellings of 127.0.0.1 and other names of this machine; `PORT` stands for the port of a server that listens on all its
 * addresses.
 */
const LOCAL_URLS = [
  'http://127.0.0.1:PORT/',
  'http://127.0.0.1.:PORT/',
  'http://127.1:PORT/',
  'http://127.0.1:PORT/',
  'http://2130706433:PORT/',
  'http://017700000001:PORT/',
  'http://0177.0.0.1:PORT/',
  'http://0x7f.0.0.1:PORT/',
  'http://0x7f000001:PORT/',
  'http://0X7F.1:PORT/',
  'http://%31%32%37.0.0.1:PORT/',
  'http://\uFF11\uFF12\uFF17.0.0.1:PORT/',
  'http://①②⑦.0.0.1:PORT/',
  'http://127。0。0。1:PORT/',
  'http:127.0.0.1:PORT/',
  'http:\\\\127.0.0.1:PORT\\',
  'http://[::1]:PORT/',
  'http://[0:0:0:0:0:0:0:1]:PORT/',
  'http://[::ffff:127.0.0.1]:PORT/',
  'http://[::ffff:7f00:1]:PORT/',
  'http://[::127.0.0.1]:PORT/',
  'http://[64:ff9b::7f00:1]:PORT/',
  'http://[2002:7f00:1::]:PORT/',
  'http://[fe80::1%25lo]:PORT/',
  'http://0.0.0.0:PORT/',
  'http://0:PORT/',
  'http://[::]:PORT/',
  'http://localhost:PORT/',
  'http://LOCALHOST:PORT/',
  'http://localhost.:PORT/',
  'http://a.b.localhost:PORT/',
  'http://a.localhost.:PORT/',
  'http://localhost.localdomain:PORT/',
  'http://ip6-localhost:PORT/',
  'https://127.0.0.1:PORT/',
  'http://user:word@127.0.0.1:PORT/',
]

describe('a URL of this machine is refused and not called', () => {
  let port = 0
  let connections = 0
  const server = createServer((_request, response) => void response.end())
  server.on('connection', () => {
    connections++
  })

  beforeAll(async () => {
    await new Promise<void>(resolve => server.listen(0, resolve))
    port = (server.address() as AddressInfo).port
  })
  afterAll(() => void server.close())

  test.each(LOCAL_URLS)('%s', async pattern => {
    const url = pattern.replace('PORT', String(port))
    expect(urlRefusal(url, STRICT)).not.toBeNull()
    const sent = post({ url, headers: {}, body: '{}', timeoutMs: 10_000, excerptBytes: 10 }, STRICT)
    await expect(sent).rejects.toThrow(OutgoingError)
    expect(connections).toBe(0)
  })

  test('the server of these tests can be reached', async () => {
    const url = `http://127.0.0.1:${port}/`
    const answer = await post({ url, headers: {}, body: '{}', timeoutMs: 10_000, excerptBytes: 10 }, { allowPrivate: true })
    expect(answer.status).toBe(200)
    expect(connections).toBe(1)
  })
})

describe('other URLs', () => {
  test.each([
    { url: 'https://hooks.example.org/in', strict: null, relaxed: null },
    { url: 'http://hooks.example.org:8080/in?a=1#b', strict: null, relaxed: null },
    { url: 'http://8.8.8.8/', strict: null, relaxed: null },
    { url: 'http://[2001:4860:4860::8888]/', strict: null, relaxed: null },
    { url: 'http://localhost.example.org/', strict: null, relaxed: null },
    { url: 'http://localhost:9000/', strict: 'the name of this machine', relaxed: null },
    { url: 'http://127.0.0.1:9000/', strict: 'a loopback address', relaxed: null },
    { url: 'http://10.1.2.3/', strict: 'a private address', relaxed: null },
    { url: 'http://169.254.169.254/latest/meta-data', strict: 'a cloud metadata address', relaxed: 'a cloud metadata address' },
    { url: 'http://0xa9fea9fe/', strict: 'a cloud metadata address', relaxed: 'a cloud metadata address' },
    { url: 'http://[fd00:ec2::254]/', strict: 'a cloud metadata address', relaxed: 'a cloud metadata address' },
    { url: 'http://metadata.google.internal./', strict: 'cloud metadata service', relaxed: 'cloud metadata service' },
    { url: 'http://a:b@hooks.example.org/', strict: 'user name or password', relaxed: 'user name or password' },
    { url: 'http://a@hooks.example.org/', strict: 'user name or password', relaxed: 'user name or password' },
    { url: 'http://hooks.example.org:0/', strict: 'port', relaxed: 'port' },
    { url: 'ftp://hooks.example.org/', strict: 'http://', relaxed: 'http://' },
    { url: 'file:///etc/passwd', strict: 'http://', relaxed: 'http://' },
    { url: 'http://', strict: 'not valid', relaxed: 'not valid' },
    { url: 'hooks.example.org', strict: 'not valid', relaxed: 'not valid' },
  ])('$url', ({ url, strict, relaxed }) => {
    const expectReason = (found: string | null, wanted: string | null) =>
      wanted === null ? expect(found).toBeNull() : expect(found).toContain(wanted)
    expectReason(urlRefusal(url, STRICT), strict)
    expectReason(urlRefusal(url, { allowPrivate: true }), relaxed)
  })
})

/**
 * Returns spellings of an IPv4 address that URL parsers accept: as one number or in parts, each decimal, octal or hexadecimal.
 */
function spellings(address: number): string[] {
  const [a, b, c, d] = [address >>> 24, (address >>> 16) & 255, (address >>> 8) & 255, address & 255]
  const bases = [String, (part: number) => `0${part.toString(8)}`, (part: number) => `0x${part.toString(16)}`]
  const parts = [[address], [a, address & 0xffffff], [a, b, address & 0xffff], [a, b, c, d]]
  const high = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
  return [...bases.flatMap(spell => parts.map(list => list.map(spell).join('.'))), `[::ffff:${high}]`, `[64:ff9b::${high}]`]
}

test('every spelling of a refused IPv4 address is refused', () => {
  const refused = ['0', '10', '127', '100.64', '169.254', '172.16', '172.31', '192.168', '224', '255']
  const random = openRandom()
  for (const start of refused) {
    for (let round = 0; round < 50; round++) {
      const octets = [...start.split('.').map(Number), random(), random(), random()].slice(0, 4)
      const address = octets.reduce((sum, octet) => sum * 256 + octet, 0)
      const accepted = spellings(address).filter(host => urlRefusal(`http://${host}/`, STRICT) === null)
      expect(accepted, octets.join('.')).toEqual([])
    }
  }
})

/** Deterministic: the same octets in each run. */
function openRandom(): () => number {
  let state = 1
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state & 255
  }
}
