import { describe, expect, test } from 'vitest'
import { createTrustedProxies, toAddressRanges, toRateLimitKey } from './addresses.ts'

describe('ranges', () => {
  test.each([
    { given: 'none', ranges: [] },
    { given: '10.0.0.1', ranges: ['10.0.0.1/32'] },
    { given: '10.0.0.0/8', ranges: ['10.0.0.0/8'] },
    { given: '10.0.0.0/8, ::1', ranges: ['10.0.0.0/8', '::1/128'] },
    { given: '2001:db8::/32  192.0.2.7,', ranges: ['2001:db8::/32', '192.0.2.7/32'] },
    { given: 'Loopback', ranges: ['127.0.0.0/8', '::1/128'] },
    { given: 'linklocal', ranges: ['169.254.0.0/16', 'fe80::/10'] },
    { given: 'uniquelocal', ranges: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'] },
  ])('$given', ({ given, ranges }) => {
    expect(toAddressRanges(given)).toEqual(ranges)
  })

  test.each([
    'proxy.example',
    '10.0.0.256',
    '10.0.0',
    '10.0.0.0/33',
    '0.0.0.0/0',
    '::/0',
    '::/129',
    '10.0.0.0/8/8',
    '10.0.0.0/',
    '10.0.0.0/-1',
    'fe80::1%eth0',
    '10.0.0.1:80',
    'loopback none',
    '*',
    'true',
    'constructor',
    '1',
  ])('%s is none', given => {
    expect(toAddressRanges(given)).toBeUndefined()
  })
})

describe('the address of a client', () => {
  const proxies = createTrustedProxies(toAddressRanges('loopback 10.0.0.0/8 2001:db8:1::/48') ?? [])

  test.each([
    { connection: '203.0.113.7', forwarded: undefined, client: '203.0.113.7' },
    { connection: '203.0.113.7', forwarded: '192.0.2.1', client: '203.0.113.7' }, // forged
    { connection: '127.0.0.1', forwarded: undefined, client: '127.0.0.1' },
    { connection: '127.0.0.1', forwarded: '', client: '127.0.0.1' },
    { connection: '127.0.0.1', forwarded: '192.0.2.1', client: '192.0.2.1' },
    { connection: '::ffff:127.0.0.1', forwarded: '192.0.2.1', client: '192.0.2.1' },
    { connection: '::1', forwarded: '192.0.2.1', client: '192.0.2.1' },
    { connection: '127.0.0.1', forwarded: '198.51.100.1, 192.0.2.1', client: '192.0.2.1' }, // the first one is forged
    { connection: '127.0.0.1', forwarded: '198.51.100.1, 192.0.2.1 ,10.1.2.3', client: '192.0.2.1' },
    { connection: '127.0.0.1', forwarded: '10.9.9.9,10.1.2.3', client: '10.9.9.9' }, // all of them are trusted
    { connection: '127.0.0.1', forwarded: 'nonsense', client: '127.0.0.1' },
    { connection: '127.0.0.1', forwarded: '192.0.2.1, nonsense, 10.1.2.3', client: '10.1.2.3' },
    { connection: '127.0.0.1', forwarded: '192.0.2.1:4711', client: '192.0.2.1' },
    { connection: '127.0.0.1', forwarded: '[2001:db8::7]:4711', client: '2001:db8::7' },
    { connection: '127.0.0.1', forwarded: '2001:DB8:0:0::7', client: '2001:db8::7' },
    { connection: '2001:db8:1::5', forwarded: '::ffff:c000:201', client: '192.0.2.1' },
    { connection: 'fe80::1%eth0', forwarded: '192.0.2.1', client: 'fe80::1' },
    { connection: undefined, forwarded: '192.0.2.1', client: '' },
  ])('$connection for `$forwarded` is $client', ({ connection, forwarded, client }) => {
    expect(proxies.clientAddress(connection, forwarded)).toBe(client)
  })

  test('is that of the connection where no proxy is trusted', () => {
    expect(createTrustedProxies([]).clientAddress('127.0.0.1', '192.0.2.1')).toBe('127.0.0.1')
  })

  test('is found in a header of thousands', () => {
    expect(proxies.clientAddress('127.0.0.1', `192.0.2.1,${'10.0.0.1,'.repeat(2_000)}10.0.0.1`)).toBe('192.0.2.1')
  })
})

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['', ''],
  ['::1', '0:0:0:0::/64'],
  ['2001:db8::7', '2001:db8:0:0::/64'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2:ffff::', '2001:db8:1:2::/64'],
  ['2001:db8:1::3:4:5:6', '2001:db8:1:0::/64'],
])('%s is limited as %s', (address, limited) => {
  expect(toRateLimitKey(address)).toBe(limited)
})
