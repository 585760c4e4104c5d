/** Copies of libraries that templates load: public, and harmless if opened directly. */
import { hash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { openTestApp } from '../testing/app.ts'
import { openTestContext } from '../testing/context.ts'
import { loadLibraries } from './template-libraries.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

function makeFolder(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'postil-libraries-'))
  folders.push(folder)
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

const FRAME = '<meta name="libraries" content="" />'
const WEB = { 'index.html': '<meta name="template-frame" content="frame.html" />', 'frame.html': FRAME }
const CHART = 'cdn.example/npm/chart.js@4/chart.js'

async function openApp(libraries: Record<string, string> | null) {
  const env = libraries && { SERVICE_TEMPLATE_LIBRARIES: makeFolder(libraries) }
  const ctx = await openTestContext(env ?? {})
  const app = openTestApp(ctx, makeFolder(WEB))
  const frame = await app.inject(`/${/content="([^"]+)"/.exec((await app.inject('/')).body)?.[1]}`)
  const told = JSON.parse(/content="([^"]*)"/.exec(frame.body)?.[1]?.replaceAll('&quot;', '"') || 'null')
  return { app, frame, told, close: async () => [await app.close(), await ctx.close()] }
}

test('are told to the frame with their hashes, and answered to every origin', async () => {
  const { app, frame, told, close } = await openApp({ [CHART]: 'draw()' })
  expect(told.hashes).toEqual({ [CHART]: `sha384-${hash('sha384', 'draw()', 'base64')}` })
  expect(frame.headers['content-security-policy']).toContain("script-src 'unsafe-inline' 'unsafe-eval' blob: 'self';")
  for (const path of [CHART, CHART.replace('@', '%40')]) {
    const { statusCode, body, headers } = await app.inject(`/libraries/${told.version}/${path}`)
    expect([statusCode, body]).toEqual([200, 'draw()'])
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
      'cache-control': 'public, max-age=31536000, immutable',
    })
  }
  const older = await app.inject(`/libraries/0123456789abcdef/${CHART}`)
  expect([older.statusCode, older.headers['cache-control']]).toEqual([200, 'no-cache'])
  await close()
})

test.each(['other.js', '../frame.html', '%2e%2e/frame.html', '%', ''])('nothing else is among them: %s', async path => {
  const { app, told, close } = await openApp({ [CHART]: 'draw()' })
  const { body, headers } = await app.inject(`/libraries/${told.version}/${path}`)
  expect([body.includes('draw'), headers['access-control-allow-origin']]).toEqual([false, undefined])
  await close()
})

test('without a folder the frame loads nothing', async () => {
  const { frame, told, close } = await openApp(null)
  expect([told, frame.body]).toEqual([null, FRAME])
  expect(frame.headers['content-security-policy']).not.toContain("script-src 'unsafe-inline' 'unsafe-eval' blob: 'self'")
  await close()
})

test('a folder of too many files is refused at start', () => {
  const folder = makeFolder(Object.fromEntries(Array.from({ length: 1001 }, (_, i) => [`${i}.js`, ''])))
  expect(() => loadLibraries(folder)).toThrow(/has 1001 files, more than 1000/)
})
