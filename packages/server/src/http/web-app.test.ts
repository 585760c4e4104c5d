import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestApp } from '../testing/app.ts'
import { openTestContext, type TestContext } from '../testing/context.ts'

const INDEX = `<!doctype html><title>Postil</title>
<script type="module" crossorigin src="./assets/index-1a2b.js"></script>
<link rel="stylesheet" href="./assets/index-3c4d.css"><link rel="manifest" href=./manifest.webmanifest>
<a href="https://a.example/./x">./assets stays</a>`
const SCRIPT = 'export const answer = 42\n'.repeat(100)

const FILES: Record<string, string | Uint8Array> = {
  'index.html': INDEX,
  'index.html.br': brotliCompressSync(INDEX),
  'frame.html': '<!doctype html><title>Frame</title>',
  'sw.js': 'self.skipWaiting()',
  'manifest.webmanifest': '{}',
  'icons/icon.png': 'png',
  'archive.gz': 'alone',
  'assets/index-1a2b.js': SCRIPT,
  'assets/index-1a2b.js.br': brotliCompressSync(SCRIPT),
  'assets/index-1a2b.js.gz': gzipSync(SCRIPT),
  'assets/index-3c4d.css': 'body{}',
  'assets/odd.xyz': '?',
}

const folder = mkdtempSync(join(tmpdir(), 'postil-web-'))
const secretFile = join(dirname(folder), `${folder.split('/').at(-1)}-secret.txt`)
for (const [name, content] of Object.entries(FILES)) {
  mkdirSync(dirname(join(folder, name)), { recursive: true })
  writeFileSync(join(folder, name), content)
}
writeFileSync(secretFile, 'not for you')
afterAll(() => {
  rmSync(folder, { recursive: true })
  rmSync(secretFile)
})

const opened: { ctx: TestContext; app: FastifyInstance }[] = []
async function open(env: Record<string, string> = {}, webFolder = folder) {
  const ctx = await openTestContext(env)
  const app = openTestApp(ctx, webFolder)
  opened.push({ ctx, app })
  return app
}
afterAll(async () => {
  for (const { ctx, app } of opened) {
    await app.close()
    await ctx.close()
  }
})

let app: FastifyInstance
beforeAll(async () => {
  app = await open()
  await app.listen({ host: '127.0.0.1', port: 0 })
})

const get = (url: string, headers: Record<string, string> = {}, from = app) => from.inject({ method: 'GET', url, headers })

/** Sends the path unchanged over the network; `inject` would normalize it. */
async function ask(method: string, path: string) {
  const { promise, resolve, reject } = Promise.withResolvers<{ status?: number; text: string; headers: object }>()
  const { port } = app.server.address() as AddressInfo
  const sent = request({ host: '127.0.0.1', port, method, path }, answer => {
    let text = ''
    answer.on('data', chunk => {
      text += chunk
    })
    answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text, headers: answer.headers }))
  })
  sent.on('error', reject).end()
  return promise
}

const linkIn = (html: string) => /src="([^"]+)"/.exec(html)?.[1]

describe('a page', () => {
  test.each([
    { path: '/', link: './assets/index-1a2b.js' },
    { path: '/index.html', link: './assets/index-1a2b.js' },
    { path: '/sign-in', link: './assets/index-1a2b.js' },
    { path: '/?name=a.b/c', link: './assets/index-1a2b.js' },
    { path: '/sign-in/', link: '../assets/index-1a2b.js' },
    { path: '/record/0c9b', link: '../assets/index-1a2b.js' },
    { path: '/dataset/0c9b/annotation-mode?page=2', link: '../../assets/index-1a2b.js' },
    { path: '/new/org/open-hermes-2.5', link: '../../assets/index-1a2b.js' },
    { path: '/apis', link: './assets/index-1a2b.js' },
    { path: `/${'a/'.repeat(8)}b`, link: `${'../'.repeat(8)}assets/index-1a2b.js` },
  ])('$path links to $link', async ({ path, link }) => {
    const answer = await get(path)
    expect(answer.statusCode).toBe(200)
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(linkIn(answer.body)).toBe(link)
    expect(new URL(link, `http://host${path}`).pathname).toBe('/assets/index-1a2b.js')
  })

  test.each([`/${'a/'.repeat(9)}b`, '/'.repeat(10), `/${'../'.repeat(9)}`, `/${'a/'.repeat(500)}`])(
    'is not as deep as %s',
    async path => {
      const { status, text } = await ask('GET', path)
      expect([status, text]).toEqual([404, '{"detail":"Not Found"}'])
    },
  )

  test('changes nothing but its own links', async () => {
    const { body } = await get('/record/1')
    expect(body).toBe(INDEX.replaceAll('="./', '="../').replace('href=./', 'href=../'))
  })

  test('has headers that say what it may do', async () => {
    const { headers } = await get('/record/1')
    expect(headers['content-security-policy']).toBe(
      "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data: blob: https:; media-src 'self' data: blob: https:; connect-src 'self'; frame-src 'self'; worker-src 'self'; manifest-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'; trusted-types vue dompurify postil postil-markdown; require-trusted-types-for 'script'",
    )
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
      'permissions-policy': 'camera=(), microphone=(), geolocation=()',
      'cache-control': 'no-cache',
    })
  })

  test('takes hosts of media and of frames from the settings', async () => {
    const closed = await open({ SERVICE_MEDIA_HOSTS: 'none', SERVICE_FRAME_ANCESTORS: 'https://a.example *.b.example' })
    const policy = String((await get('/', {}, closed)).headers['content-security-policy'])
    expect(policy).toContain("img-src 'self' data: blob:; media-src 'self' data: blob:;")
    expect(policy).toContain("frame-ancestors 'self' https://a.example *.b.example;")
  })

  test('is asked for again only when it changed, at each depth', async () => {
    for (const path of ['/', '/record/1', '/a/b/c']) {
      const etag = String((await get(path)).headers.etag)
      for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
        const answer = await get(path, { 'if-none-match': known })
        expect([answer.statusCode, answer.body, answer.headers.etag]).toEqual([304, '', etag])
      }
      expect((await get(path, { 'if-none-match': '"other"' })).statusCode).toBe(200)
    }
    expect((await get('/')).headers.etag).not.toBe((await get('/record/1')).headers.etag)
  })
})

describe('the frame for templates', () => {
  test('has no origin of ours and no network, however it is opened', async () => {
    const answer = await get('/frame.html')
    expect(answer.headers['content-security-policy']).toBe(
      "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval' blob:; style-src 'unsafe-inline'; img-src data: blob:; media-src data: blob:; font-src data:; frame-src 'none'; worker-src 'none'; form-action 'none'; base-uri 'none'; frame-ancestors 'self'",
    )
    expect([answer.statusCode, answer.headers['cache-control']]).toEqual([200, 'no-cache'])
  })

  test.each([
    { media: 'https:', images: 'a.example,b.example:8443', sources: ' https://a.example https://b.example:8443' },
    { media: '*', images: 'a.example', sources: ' https://a.example http://a.example' },
    { media: 'none', images: 'a.example', sources: '' },
    { media: 'https://c.example', images: 'a.example', sources: ' https://c.example' },
    { media: 'https:', images: "*,*.a.example,'self',a.example;script-src,https:,a%0d%0ab", sources: '' },
  ])('with $media, an address that names $images allows the images of:$sources', async ({ media, images, sources }) => {
    const app = await open({ SERVICE_MEDIA_HOSTS: media })
    const name = /name="template-frame" content="([^"]+)"/.exec((await app.inject('/')).body)?.[1]
    const { headers } = await app.inject(`/${name ?? 'frame-0123456789abcdef.html'}?images=${images}`)
    expect(headers['content-security-policy']).toContain(`img-src data: blob:${sources};`)
  })

  test('templates load pictures from hosts with a name only', async () => {
    const app = await open({ SERVICE_MEDIA_HOSTS: 'https: * https://* https://media.example *.pics.example' })
    const { headers } = await app.inject('/frame.html')
    expect(headers['content-security-policy']).toContain('img-src data: blob: https://media.example *.pics.example;')
  })
})

describe('a file', () => {
  test.each([
    { path: '/assets/index-1a2b.js', type: 'text/javascript; charset=utf-8', cache: 'public, max-age=31536000, immutable' },
    { path: '/assets/index-3c4d.css', type: 'text/css; charset=utf-8', cache: 'public, max-age=31536000, immutable' },
    { path: '/assets/odd.xyz', type: 'application/octet-stream', cache: 'public, max-age=31536000, immutable' },
    { path: '/sw.js', type: 'text/javascript; charset=utf-8', cache: 'no-cache' },
    { path: '/manifest.webmanifest', type: 'application/manifest+json', cache: 'no-cache' },
    { path: '/icons/icon.png', type: 'image/png', cache: 'no-cache' },
    { path: '/archive.gz', type: 'application/octet-stream', cache: 'no-cache' },
  ])('$path is $type and kept: $cache', async ({ path, type, cache }) => {
    const answer = await get(path)
    expect(answer.statusCode).toBe(200)
    expect(answer.headers).toMatchObject({
      'content-type': type,
      'cache-control': cache,
      'x-content-type-options': 'nosniff',
      etag: expect.stringMatching(/^"[\w-]+"$/),
    })
  })

  test.each([
    { accepted: 'gzip, deflate, br, zstd', coding: 'br' },
    { accepted: 'gzip', coding: 'gzip' },
    { accepted: 'GZIP;q=0.5', coding: 'gzip' },
    { accepted: 'br;q=0, gzip;q=1.0', coding: 'gzip' },
    { accepted: 'br;q=0.0', coding: undefined },
    { accepted: 'brotli', coding: undefined },
    { accepted: 'identity', coding: undefined },
    { accepted: '', coding: undefined },
  ])('for `$accepted` comes as $coding', async ({ accepted, coding }) => {
    const answer = await get('/assets/index-1a2b.js', { 'accept-encoding': accepted })
    expect(answer.headers['content-encoding']).toBe(coding)
    expect(answer.headers.vary).toBe('Accept-Encoding')
    const bytes = { br: brotliCompressSync(SCRIPT), gzip: gzipSync(SCRIPT) }[coding ?? ''] ?? Buffer.from(SCRIPT)
    expect(answer.rawPayload.equals(bytes)).toBe(true)
    expect(answer.headers['content-length']).toBe(String(bytes.length))
  })

  test('has a tag for each coding, and none for others', async () => {
    const readTag = async (accepted: string) => (await get('/assets/index-1a2b.js', { 'accept-encoding': accepted })).headers.etag
    const tags = await Promise.all(['br', 'gzip', ''].map(readTag))
    expect(new Set(tags).size).toBe(3)
    const again = await get('/assets/index-1a2b.js', { 'accept-encoding': 'br', 'if-none-match': String(tags[0]) })
    expect([again.statusCode, again.headers['content-encoding']]).toEqual([304, undefined])
  })

  test('a page below the root is not the compressed page of the root', async () => {
    const answer = await get('/dataset/1/settings', { 'accept-encoding': 'br' })
    expect(answer.headers['content-encoding']).toBeUndefined()
    expect(answer.body).toContain('src="../../assets/index-1a2b.js"')
  })

  test('may be asked for without its content', async () => {
    const answer = await ask('HEAD', '/assets/index-1a2b.js')
    expect(answer).toMatchObject({ status: 200, text: '', headers: { 'content-length': String(SCRIPT.length) } })
  })

  test('depends on the origin too where that is allowed', async () => {
    const other = await open({ SERVICE_CORS_ORIGINS: '["https://ui.example"]' })
    const { headers } = await get('/assets/index-1a2b.js', { origin: 'https://ui.example' }, other)
    expect(headers.vary).toBe('Origin, Accept-Encoding')
  })
})

describe('nothing is found', () => {
  const outside = secretFile.split('/').at(-1)
  test.each([
    '/missing.js',
    '/assets/missing.css',
    '/dataset/1/assets/index-1a2b.js',
    '/assets/index-1a2b.js.br',
    '/index.html.br',
    '/favicon.ico',
    `/../${outside}`,
    `/%2e%2e/${outside}`,
    `/..%2f${outside}`,
    `/assets/../../${outside}`,
    `/assets/..%5c..%5c${outside}`,
    '/assets/%2e%2e/sw.js',
    '//etc/passwd.txt',
    '/assets//index-1a2b.js',
    'http://host/sw.js',
    '*.js',
    '/%00.js',
    '/__proto__.js',
    '/api',
    '/api/',
    '/api/v2',
    '/api/v1/nothing',
  ])('at %s', async path => {
    const answer = await ask('GET', path)
    expect([answer.status, answer.text]).toEqual([404, '{"detail":"Not Found"}'])
    expect(answer.headers).toMatchObject({ 'x-content-type-options': 'nosniff' })
  })

  test.each(['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'] as const)('with %s', async method => {
    for (const url of ['/', '/sw.js', '/sign-in']) expect((await app.inject({ method, url })).statusCode).toBe(404)
  })

  test('outside the base URL, and pages are found below it', async () => {
    const below = await open({ SERVICE_BASE_URL: '/annotation/' })
    for (const path of ['/', '/sign-in', '/sw.js', '/annotations', '/annotation/api/x']) {
      expect([path, (await get(path, {}, below)).statusCode]).toEqual([path, 404])
    }
    expect(linkIn((await get('/annotation/', {}, below)).body)).toBe('./assets/index-1a2b.js')
    expect(linkIn((await get('/annotation/record/1', {}, below)).body)).toBe('../assets/index-1a2b.js')
    expect((await get('/annotation/sw.js', {}, below)).statusCode).toBe(200)
    expect((await get('/annotation', {}, below)).headers.location).toBe('/annotation/')
  })
})

describe('a web UI that is not built', () => {
  test('says so on its pages; files are not found and the API answers', async () => {
    const bare = await open({}, join(folder, 'nowhere'))
    const answer = await get('/sign-in', {}, bare)
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([503, 'text/plain; charset=utf-8'])
    expect(answer.body).toContain('The web UI is not built')
    expect((await get('/sw.js', {}, bare)).statusCode).toBe(404)
    expect((await get('/api/v1/version', {}, bare)).statusCode).toBe(200)
  })
})
