/** Certificates of called servers: a valid one and several invalid ones. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import tls from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { post } from './outgoing.ts'

const folder = mkdtempSync(join(tmpdir(), 'postil-certificates-'))
const path = (name: string) => join(folder, name)
const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })

/** In all versions of OpenSSL, only `openssl ca` can create expired certificates. */
const CA_CONFIG = `
[ca]
default_ca = default
[default]
database = index.txt
new_certs_dir = .
serial = serial.txt
default_md = sha256
policy = policy
copy_extensions = copy
unique_subject = no
[policy]
commonName = supplied
`

const CERTIFICATES = [
  { name: 'right', san: 'DNS:hooks.example,DNS:xn--hks-sna.example', from: '20200101000000Z', to: '20990101000000Z' },
  { name: 'other-host', san: 'DNS:other.example', from: '20200101000000Z', to: '20990101000000Z' },
  { name: 'expired', san: 'DNS:hooks.example', from: '20200101000000Z', to: '20210101000000Z' },
  { name: 'early', san: 'DNS:hooks.example', from: '20980101000000Z', to: '20990101000000Z' },
  { name: 'address', san: 'IP:127.0.0.1', from: '20200101000000Z', to: '20990101000000Z' },
]

let trustedBefore: string[] = []
const servers: https.Server[] = []
const requests = new Map<string, number>()
const names: unknown[] = []
const ports = new Map<string, number>()

beforeAll(async () => {
  writeFileSync(path('ca.cnf'), CA_CONFIG)
  writeFileSync(path('index.txt'), '')
  writeFileSync(path('serial.txt'), '1000\n')
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  const authority = (name: string) =>
    openssl('req', '-x509', ...key, '-keyout', `${name}.key`, '-out', `${name}.pem`, '-days', '3650', '-subj', `/CN=${name}`)
  authority('authority')
  for (const { name, san, from, to } of CERTIFICATES) {
    const request = ['-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`, '-addext', `subjectAltName=${san}`]
    openssl('req', '-new', ...key, ...request)
    const signed = ['-cert', 'authority.pem', '-keyfile', 'authority.key', '-in', `${name}.csr`, '-out', `${name}.pem`, '-notext']
    openssl('ca', '-batch', '-config', 'ca.cnf', ...signed, '-startdate', from, '-enddate', to)
  }
  const own = ['-days', '3650', '-subj', '/CN=hooks.example', '-addext', 'subjectAltName=DNS:hooks.example']
  openssl('req', '-x509', ...key, '-keyout', 'self-signed.key', '-out', 'self-signed.pem', ...own)

  trustedBefore = tls.getCACertificates('default')
  tls.setDefaultCACertificates([...trustedBefore, readFileSync(path('authority.pem'), 'utf8')])
  for (const name of [...CERTIFICATES.map(certificate => certificate.name), 'self-signed']) await serve(name)
})

afterAll(() => {
  tls.setDefaultCACertificates(trustedBefore)
  for (const server of servers) server.close()
  rmSync(folder, { recursive: true, force: true })
})

async function serve(name: string): Promise<void> {
  const files = { key: readFileSync(path(`${name}.key`)), cert: readFileSync(path(`${name}.pem`)) }
  const server = https.createServer(files, (_request, response) => {
    requests.set(name, (requests.get(name) ?? 0) + 1)
    response.end('ok')
  })
  server.on('secureConnection', socket => names.push(socket.servername))
  servers.push(server)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  ports.set(name, (server.address() as AddressInfo).port)
}

const send = (url: string) =>
  post(
    { url, headers: {}, body: '{}', timeoutMs: 60_000, excerptBytes: 100 },
    { allowPrivate: true, resolve: async () => [{ address: '127.0.0.1', family: 4 }] },
  )

describe('a certificate', () => {
  test.each([
    { host: 'hooks.example', name: 'right' },
    { host: 'HOOKS.example', name: 'right' },
    { host: 'hooks.example.', name: 'right' },
    { host: '127.0.0.1', name: 'address' },
  ])('$name is accepted for $host', async ({ host, name }) => {
    names.length = 0
    expect(await send(`https://${host}:${ports.get(name)}/`)).toEqual({ status: 200, excerpt: 'ok' })
    expect(names).toEqual([host === '127.0.0.1' ? false : 'hooks.example'])
  })

  test.each([
    { host: 'hooks.example', name: 'self-signed', message: 'it is self-signed' },
    { host: 'hooks.example', name: 'other-host', message: 'it is for another host name' },
    { host: 'hooks.example', name: 'address', message: 'it is for another host name' },
    { host: '127.0.0.1', name: 'right', message: 'it is for another host name' },
    { host: 'sub.hooks.example', name: 'right', message: 'it is for another host name' },
    { host: 'hooks.example', name: 'expired', message: 'it has expired' },
    { host: 'hooks.example', name: 'early', message: 'it is not valid yet' },
  ])('$name is refused for $host', async ({ host, name, message }) => {
    const before = requests.get(name)
    await expect(send(`https://${host}:${ports.get(name)}/`)).rejects.toThrow(
      `The certificate of the server is not valid: ${message}.`,
    )
    expect(requests.get(name)).toBe(before)
  })

  test('is refused if its authority is not trusted', async () => {
    tls.setDefaultCACertificates(trustedBefore)
    await expect(send(`https://hooks.example:${ports.get('right')}/`)).rejects.toThrow('authority is not trusted')
  })

  test('is checked although NODE_TLS_REJECT_UNAUTHORIZED is 0', async () => {
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
    try {
      await expect(send(`https://hooks.example:${ports.get('self-signed')}/`)).rejects.toThrow('it is self-signed')
    } finally {
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
    }
  })
})

test('a server without TLS is an error', async () => {
  const server = http.createServer((_request, response) => void response.end())
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await expect(send(`https://hooks.example:${port}/`)).rejects.toThrow('The TLS connection failed.')
  server.close()
})
