/** Plants every attack in every place that shows data. It may be displayed, but must not run. */
import { createClient } from '@postil/client'
import type { FieldCreate } from '@postil/domain/fields'
import type { QuestionCreate } from '@postil/domain/questions'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { currentRecord, listRecords, openDataset } from './annotation-page.ts'
import { ATTACKS } from './attacks.ts'
import { enter, type Seat, signIn, takeSeat } from './browser.ts'
import { OWN_SERVER, takeWorld, world } from './desk.ts'
import { label, seed } from './seed.ts'

/** Console messages for what a template's frame blocks. The page's own policy has different messages. */
const SANDBOX = [
  /Blocked a frame with origin "null"/,
  /Content Security Policy directive: "(default-src 'none'|script-src 'unsafe-inline'|style-src 'unsafe-inline'|img-src data:|media-src data:)/,
  /Blocked (opening|form submission|autofocusing)/,
  /(about:srcdoc|frame-[0-9a-f]+\.html)/,
]
/** The sanitiser parses HTML in an inert document; the browser also reports what it would block there. */
const SANITISER = [
  /(Executing inline (script|event handler)|Applying inline style) violates .* directive '(script|style)-src 'self''/,
  /document's base URI .* violates .* "base-uri 'none'"/,
  /requires 'TrustedScript' assignment/,
]

takeWorld(OWN_SERVER)

let seat: Seat
let page: Page
/** Dialogs that opened, and requests that only an attack's script makes. */
const signs: string[] = []
beforeAll(async () => {
  seat = await takeSeat(world.server.url, { allow: [/401/, ...SANDBOX, ...SANITISER] })
  page = seat.page
  page.on('dialog', dialog => {
    signs.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  seat.context.on('response', response => {
    if (/\/(ran|x)$/.test(new URL(response.url()).pathname)) signs.push(`request: ${response.url()}`)
  })
  await enter(seat.context, world, world.server)
})

/** Returns what ran, and what could have run without the policy. Skips templates, whose frames have an opaque origin. */
function lookAround(): string[] {
  if (origin === 'null') return []
  const active = 'script, style, link, base, meta, object, embed, form[action], iframe:not([sandbox="allow-scripts"])'
  const hasAddress = ({ name, value }: Attr) =>
    /^(href|src|srcdoc|action|formaction|xlink:href)$/.test(name) &&
    /^\s*(javascript|vbscript|data:(?!image|audio|video))/i.test(value)
  // Our own, which compiles scripts ahead of the next visit.
  const all = [...document.body.querySelectorAll('*')].filter(element => element.getAttribute('src') !== '/compile.html')
  const elements = all.filter(
    element => element.matches(active) || [...element.attributes].some(one => one.name.startsWith('on') || hasAddress(one)),
  )
  const ran = '__ran' in window || document.title === '1'
  return [...(ran ? ['it ran'] : []), ...elements.map(element => element.outerHTML.slice(0, 200))]
}

async function nothingRan(place: string) {
  // A frame may be removed meanwhile.
  const found = await Promise.all(page.frames().map(frame => frame.evaluate(lookAround).catch(() => [])))
  const pages = page.context().pages().length
  expect({ place, found: found.flat(), signs, troubles: seat.troubles.splice(0), pages }).toEqual({
    place,
    found: [],
    signs: [],
    troubles: [],
    pages: 1,
  })
}

/** The server already rejects null characters and lone surrogates. */
const PLANTED = ATTACKS.filter(({ text }) => text.isWellFormed() && !text.includes('\0'))
const fitting = (max: number) => PLANTED.filter(({ text }) => text.length <= max)
const bare = (text: string | null) => (text ?? '').replace(/\s/g, '')
const field = (name: string, settings: FieldCreate['settings']): FieldCreate => ({ name, title: name, required: true, settings })
const question = (name: string, title: string, settings: QuestionCreate['settings']): QuestionCreate => ({
  name,
  title,
  required: false,
  settings,
})
const options = (texts: readonly { text: string }[]) =>
  texts.map(({ text }, i) => ({
    value: `${i} ${text}`.slice(0, 200),
    text: text.slice(0, 500),
    description: text.slice(0, 1000),
  }))

const PLACES: FieldCreate[] = [
  field('plain', { type: 'text', use_markdown: false }),
  field('markdown', { type: 'text', use_markdown: true }),
  field('chat', { type: 'chat', use_markdown: false }),
  field('chat_markdown', { type: 'chat', use_markdown: true }),
  field('marked', { type: 'text', use_markdown: false }),
  field('basic', {
    type: 'custom',
    advanced_mode: false,
    template: '<p title="{{record.fields.plain}}">{{record.fields.plain}}</p><div>{{{record.fields.plain}}}</div>',
  }),
  field('advanced', {
    type: 'custom',
    advanced_mode: true,
    template: '<div id="here"></div><script>here.innerHTML = record.fields.plain; document.write(record.fields.plain)</script>',
  }),
]

test('in a record: text, markdown, chat, spans, templates, external ids', async () => {
  const span = question('names', 'Names', {
    type: 'span',
    field: 'marked',
    options: options(fitting(150).slice(0, 5)),
    visible_options: null,
    allow_overlapping: false,
  })
  const id = await seed(world, {
    name: 'records',
    fields: PLACES,
    questions: [label('mood', ['good', 'bad']), span],
    records: PLANTED.map(({ text }) => ({
      fields: {
        plain: text,
        markdown: text,
        chat: [{ role: 'user', content: text }],
        chat_markdown: [{ role: text.slice(0, 20), content: text }],
        marked: text,
        basic: { value: text },
        advanced: { value: text },
      },
      external_id: text,
    })),
  })
  await openDataset(page, id)
  for (const [i, { name, text }] of PLANTED.entries()) {
    await expect.poll(() => page.getByTestId('position').textContent()).toBe(String(i + 1))
    const record = currentRecord(page)
    for (const place of ['plain', 'chat', 'marked'])
      await expect.poll(async () => bare(await record.getByTestId(`field-${place}`).textContent())).toContain(bare(text))
    await record.locator('.soon').waitFor({ state: 'detached' })
    await expect.poll(() => record.locator('.place.waiting').count()).toBe(0)
    await nothingRan(name)
    await page.keyboard.press('ArrowRight')
  }
  await page.waitForTimeout(500)
  await nothingRan('a moment later')
})

test('in titles, descriptions, labels, guidelines, metadata and suggestions', async () => {
  const titled = fitting(500)
  const id = await seed(world, {
    name: 'names',
    guidelines: fitting(300)
      .map(({ text }) => text)
      .join('\n\n')
      .slice(0, 10_000),
    fields: titled.map(({ text }, i) => ({ ...field(`f${i}`, { type: 'text', use_markdown: false }), title: text })),
    questions: [
      { ...label('label', ['x', 'y']), title: ATTACKS[0]?.text ?? '' },
      question('many', 'Many', {
        type: 'multi_label_selection',
        options: options(fitting(500)),
        visible_options: null,
        options_order: 'suggestion',
      }),
      question('ranked', 'Ranked', { type: 'ranking', options: options(ATTACKS.slice(0, 10)) }),
      ...titled.map(({ text }, i) => ({
        ...question(`q${i}`, text, { type: 'text', use_markdown: true }),
        description: text,
      })),
    ],
    metadata: [{ name: 'term', title: ATTACKS[0]?.text ?? '', settings: { type: 'terms' }, visible_for_annotators: true }],
    records: [],
  })
  const params = { dataset_id: id }
  const { items: questions } = await world.owner.listQuestions({ params })
  const suggestions = questions
    .filter(({ settings }) => settings.type === 'text')
    .map(({ id: question_id }, i) => ({ question_id, value: titled[i]?.text ?? '', agent: 'javascript:x', score: 0.5 }))
  const extra = Object.fromEntries(fitting(500).map(({ text }, i) => [`${i} ${text}`, text]))
  const fields = Object.fromEntries(titled.map(({ text }, i) => [`f${i}`, text]))
  await world.owner.createRecordsBulk({
    params,
    body: { items: [{ fields, suggestions, metadata: { term: ATTACKS[0]?.text ?? '', ...extra } }] },
  })

  await openDataset(page, id)
  await page.locator('.guide .rendered > *').first().waitFor({ state: 'attached' })
  await nothingRan('the form')
  await page.evaluate(async () => {
    for (const button of document.querySelectorAll<HTMLElement>('.question-head [aria-haspopup=dialog]')) {
      button.click()
      await new Promise(resolve => setTimeout(resolve, 30))
    }
  })
  await nothingRan('descriptions')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await page.keyboard.press('m')
  await expect.poll(async () => bare(await page.getByRole('dialog').textContent())).toContain(bare(ATTACKS[2]?.text ?? ''))
  await nothingRan('metadata')
  await page.keyboard.press('Escape')
  for (const tab of ['general', 'fields', 'questions', 'metadata', 'vector', 'danger-zone']) {
    await page.goto(`dataset/${id}/settings?tab=${tab}`)
    await page.getByRole('main').waitFor()
    await page.waitForTimeout(500)
    await nothingRan(`settings: ${tab}`)
  }
})

test('in names of people, datasets and workspaces, and in comments', async () => {
  const named = fitting(190).slice(0, 30)
  for (const { text } of named) {
    const workspace = await world.owner.createWorkspace({ body: { name: text } })
    await world.owner.createDataset({ body: { name: text, workspace_id: workspace.id } })
  }
  const id = await seed(world, {
    name: 'people',
    questions: [label('mood', ['good', 'bad'])],
    minSubmitted: 50,
    records: [{ fields: { text: 'x' } }],
  })
  const record_id = (await listRecords(world.owner, id))[0]?.id ?? ''
  const said = fitting(5000)
  for (const { text } of named.slice(0, 8)) {
    const body = { username: text, first_name: text, last_name: text, password: 'a-long-password' }
    const user = await world.owner.createUser({ body: { ...body, role: 'annotator' } })
    await world.owner.addWorkspaceUser({ params: { workspace_id: world.workspaceId }, body: { user_id: user.id } })
    const client = createClient({ url: world.server.url, apiKey: user.api_key ?? '' })
    const item = { record_id, status: 'submitted' as const, values: { mood: { value: 'good' } } }
    await client.upsertMyResponsesBulk({ body: { items: [item] } })
    for (const attack of said.splice(0, 20))
      await client.createRecordComment({ params: { record_id }, body: { body: attack.text } })
  }
  await page.goto('')
  await expect.poll(() => page.getByTestId('dataset-card').count()).toBeGreaterThan(named.length)
  await nothingRan('home')
  await page.keyboard.press('Control+k')
  await page.keyboard.type('img')
  await page.waitForTimeout(300)
  await nothingRan('the palette')
  await page.keyboard.press('Escape')
  await openDataset(page, id)
  await page.keyboard.press('c')
  await expect.poll(async () => bare(await page.getByRole('dialog').textContent())).toContain(bare(named[1]?.text ?? ''))
  await nothingRan('comments')
})

test('as the name of the person who is signed in', async () => {
  const [attack] = ATTACKS
  const other = await takeSeat(world.server.url, { allow: [/401/] })
  await signIn(other.page, attack?.text ?? '', 'a-long-password')
  await other.page.getByTestId('account').click()
  await expect.poll(() => other.page.getByRole('menu').textContent()).toContain(attack?.text)
  await other.page.goto('user-settings')
  await other.page
    .getByText(attack?.text ?? '')
    .first()
    .waitFor()
  expect(await other.page.evaluate(() => '__ran' in window)).toBe(false)
  expect(other.troubles).toEqual([])
  await other.context.close()
})

test('as a template', async () => {
  const templates = ATTACKS.slice(0, 12).flatMap(({ text }, i) =>
    [false, true].map(advanced_mode => field(`t${i}_${advanced_mode}`, { type: 'custom', advanced_mode, template: text })),
  )
  const id = await seed(world, {
    name: 'templates',
    fields: templates,
    questions: [label('mood', ['good', 'bad'])],
    records: [{ fields: Object.fromEntries(templates.map(({ name }) => [name, { value: 1 }])) }],
  })
  await openDataset(page, id)
  await expect.poll(() => page.locator('iframe').count()).toBe(templates.length)
  await expect.poll(() => page.locator('.place.waiting').count()).toBe(0)
  await page.waitForTimeout(500)
  await nothingRan('templates')
})
