/** Sign-in with a real identity provider in a real browser: success, refusal, and a forged URL. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { OIDC_CLIENT, type OidcServer, openOidcServer } from '../oidc-server.ts'
import { closeContexts, takeSeat } from './browser.ts'
import { openWorld, type World } from './seed.ts'

/** Longer than a line of the form. */
const LONG = 'Closed, a provider with a name that is much longer than one line'

const folder = mkdtempSync(join(tmpdir(), 'postil-oauth-'))
let provider: OidcServer
let world: World
/** A different site from the provider's, because host names differ, so that SameSite=Strict cookies would be lost on the way. */
let url: string
beforeAll(async () => {
  provider = await openOidcServer()
  const file = join(folder, 'oauth.yaml')
  const described = { name: 'campus', title: 'Campus', issuer: provider.url, ...OIDC_CLIENT }
  const closed = { name: 'closed', title: LONG, issuer: 'http://127.0.0.1:9', ...OIDC_CLIENT }
  writeFileSync(file, JSON.stringify({ allow_http_redirect: true, providers: [described, closed] }))
  world = await openWorld({ SERVICE_AUTH_OAUTH_CFG: file })
  url = world.server.url.replace('127.0.0.1', 'localhost')
  provider.serve(`${url}/oauth/campus/callback`)
})
afterAll(async () => {
  await closeContexts()
  await world?.close()
  await provider?.close()
  rmSync(folder, { recursive: true, force: true })
})

/** At first no user is signed in, and the browser navigates to the provider. */
const expected = () => [/401/, new RegExp(`^leaves the origin: ${provider.url}/(auth|interaction)`), /favicon/]

async function at(allow: RegExp[], act: (page: Page) => Promise<void>): Promise<void> {
  const seat = await takeSeat(url, { allow: [...expected(), ...allow] })
  await act(seat.page)
  await seat.context.close()
  expect(seat.troubles).toEqual([])
}

async function sayWho(page: Page, login: string, button: 'Agree' | 'Refuse'): Promise<void> {
  await page.getByLabel('Name').fill(login)
  await page.getByRole('button', { name: button }).click()
}

test('from the button to the provider and back to the page that was asked for', async () => {
  await at([], async page => {
    await page.goto('user-settings')
    const button = page.getByTestId('sign-in-with-campus')
    expect(await button.textContent()).toContain('Continue with Campus')
    await button.click()
    await sayWho(page, 'paula', 'Agree')
    await page.waitForURL(`${url}/user-settings`)
    await page.getByTestId('account').waitFor()
    const me = await page.evaluate(async () => (await (await fetch('/api/v1/me')).json()).username)
    expect(me).toBe('paula')
    // The code does not remain in the browser's history.
    await page.reload()
    expect(page.url()).toBe(`${url}/user-settings`)
  })
})

test('somebody who refuses is told so, and can start again', async () => {
  await at([], async page => {
    await page.goto('sign-in')
    await page.getByTestId('sign-in-with-campus').click()
    await sayWho(page, 'paula', 'Refuse')
    expect(await page.getByTestId('sign-in-refused').textContent()).toContain('Campus did not sign you in: The person refused')
    await page.getByTestId('sign-in-start-again').click()
    await page.getByTestId('sign-in-with-campus').click()
    await sayWho(page, 'otto', 'Agree')
    await page.getByTestId('dataset-list').waitFor()
  })
})

test('an address with the state of another browser signs nobody in, and shows nothing of what it says', async () => {
  await at([/422/], async page => {
    await page.goto('oauth/campus/callback?error=x&error_description=Call%20555&state=abc')
    const text = await page.getByTestId('sign-in-refused').textContent()
    expect(text).toContain('started in another browser')
    expect(text).not.toContain('555')
  })
})

test('a provider that cannot be reached is named on the sign-in page', async () => {
  await at([], async page => {
    await page.goto('sign-in?to=/user-settings')
    await page.getByTestId('sign-in-with-closed').click()
    expect(await page.getByTestId('provider-failed').textContent()).toContain(`${LONG} cannot be reached right now`)
    const widthOf = async (handle: string) => (await page.getByTestId(handle).boundingBox())?.width
    expect(await widthOf('sign-in-with-closed')).toBe(await widthOf('sign-in-submit'))
    expect(new URL(page.url()).searchParams.get('to')).toBe('/user-settings')
  })
})
