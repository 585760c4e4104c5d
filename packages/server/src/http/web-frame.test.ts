/** The template frame comes from the browser cache, so its name must change with everything that changes its content. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openTestApp } from '../testing/app.ts'
import { openTestContext } from '../testing/context.ts'

const nameIn = (html: string) => /name="template-frame" content="([^"]+)"/.exec(html)?.[1] ?? ''

/** Returns the response of a server with this frame and these settings; by default for the frame name in its pages. */
async function ask(frame: string, env: Record<string, string>, path?: string) {
  const folder = mkdtempSync(join(tmpdir(), 'postil-frame-'))
  writeFileSync(join(folder, 'index.html'), '<meta name="template-frame" content="frame.html" />')
  writeFileSync(join(folder, 'frame.html'), frame)
  const ctx = await openTestContext(env)
  const app = openTestApp(ctx, folder)
  try {
    const name = nameIn((await app.inject('/')).body)
    expect(nameIn((await app.inject('/record/1')).body)).toBe(name)
    const { statusCode, body, headers } = await app.inject(path ?? `/${name}`)
    expect(headers['content-security-policy']).toMatch(/^sandbox allow-scripts; default-src 'none'/)
    return { name, answer: [statusCode, body, headers['cache-control']] }
  } finally {
    await app.close()
    await ctx.close()
    rmSync(folder, { recursive: true })
  }
}

test('is kept for ever, under a name that changes with its content and with what pages may load', async () => {
  const names = new Set<string>()
  for (const [frame, env] of [
    ['Frame', {}],
    ['Newer', {}],
    ['Frame', { SERVICE_MEDIA_HOSTS: 'none' }],
    ['Frame', { SERVICE_MEDIA_HOSTS: 'https://media.example' }],
  ] as const) {
    const { name, answer } = await ask(frame, env)
    expect(answer).toEqual([200, frame, 'public, max-age=31536000, immutable'])
    names.add(name)
  }
  expect(names.size).toBe(4)
})

test('pages of another version get the present one, and it is not kept', async () => {
  const { answer } = await ask('Frame', {}, '/frame-0123456789abcdef.html')
  expect(answer).toEqual([200, 'Frame', 'no-cache'])
})
