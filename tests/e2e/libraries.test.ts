/** Libraries that templates load: copies on this server, in a frame without any other access. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { currentRecord, openDataset } from './annotation-page.ts'
import { page, takeDesk, world } from './desk.ts'
import { label, seed } from './seed.ts'

const folder = mkdtempSync(join(tmpdir(), 'postil-libraries-'))
mkdirSync(join(folder, 'cdn.example/npm/shout@1'), { recursive: true })
const FILES = {
  'shout.js': 'window.shout = text => text.toUpperCase() + "!"',
  'shout.css': 'b { color: rgb(1, 2, 3) }',
  'louder.mjs': 'import { mark } from "./mark.mjs"; export const louder = text => text + mark',
  'mark.mjs': 'export const mark = "!!!"',
}
for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, 'cdn.example/npm/shout@1', name), text)
afterAll(() => rmSync(folder, { recursive: true }))

takeDesk({ as: 'annotator', allow: [/Content Security Policy/], env: { SERVICE_TEMPLATE_LIBRARIES: folder } })

const CDN = 'https://cdn.example/npm/shout@1'
async function show(name: string, template: string, advanced_mode = true) {
  const id = await seed(world, {
    name,
    fields: [{ name: 'card', title: 'Card', required: true, settings: { type: 'custom', template, advanced_mode } }],
    questions: [label('mood', ['good', 'bad'])],
    records: [{ fields: { card: { name: 'hello' } } }],
  })
  await openDataset(page, id)
  return currentRecord(page).frameLocator('iframe').locator('b')
}

test('scripts, styles and modules come from the copies', async () => {
  const bold = await show(
    'libraries',
    `<link rel="stylesheet" href="${CDN}/shout.css"><script src="${CDN}/shout.js"></script>
    <b></b><script type="module">
      import { louder } from '${CDN}/louder.mjs'
      document.querySelector('b').textContent = louder(shout(record.fields.card.name))
    </script>`,
  )
  await expect.poll(() => bold.innerText()).toBe('HELLO!!!!')
  expect(await bold.evaluate(element => getComputedStyle(element).color)).toBe('rgb(1, 2, 3)')
})

test('a style for a template without scripts, and no other link', async () => {
  const links = `<link rel="stylesheet" href="${CDN}/shout.css"><link rel="preconnect" href="${CDN}">`
  const bold = await show('basic', `${links}<b>{{record.fields.card.name}}</b>`, false)
  await expect.poll(() => bold.evaluate(element => getComputedStyle(element).color)).toBe('rgb(1, 2, 3)')
  await expect.poll(() => currentRecord(page).frameLocator('iframe').locator('link').count()).toBe(1)
})

test('what this server has no copy of is named, and the rest of the template is shown', async () => {
  const bold = await show('missing', '<script src="https://cdn.example/none.js"></script><b>still here</b>')
  await expect.poll(() => bold.innerText()).toBe('still here')
  await expect
    .poll(() => currentRecord(page).getByRole('alert').innerText())
    .toBe('The template needs a library that this server does not have: https://cdn.example/none.js')
})

test('the frame still reaches neither the API nor the page', async () => {
  const bold = await show(
    'reach',
    `<b></b><script>
      const tries = [fetch('/api/v1/me').then(() => 'fetched', () => 'refused')]
      try { tries.push(parent.document.title) } catch { tries.push('closed') }
      Promise.all(tries).then(all => { document.querySelector('b').textContent = all.join(' ') })
    </script>`,
  )
  await expect.poll(() => bold.innerText()).toBe('refused closed')
})
