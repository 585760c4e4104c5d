/** A lead changes each setting of a dataset while somebody works on it: nothing moves, and nothing is lost. */
import { expect, test } from 'vitest'
import { expectRecordText, openDataset } from './annotation-page.ts'
import { openBulkView } from './bulk-view.ts'
import { option, page, press, question, takeDesk, world } from './desk.ts'
import { multiLabel, ranking, span, text } from './question-plans.ts'
import { seed, texts } from './seed.ts'

takeDesk({ as: 'annotator' })

const lead = () => world.admin.client

interface Dataset {
  id: string
  /** Question ids by name, in the order of the dataset. */
  questions: Map<string, string>
}

interface Change {
  what: string
  make(dataset: Dataset): Promise<unknown>
  /** Members are no settings of the dataset. */
  isSilent?: true
}

const idOf = ({ questions }: Dataset, name: string) => ({ question_id: questions.get(name) ?? '' })
const rename = (dataset: Dataset, body: object) =>
  lead().updateQuestion({ params: idOf(dataset, 'topic'), body } as Parameters<ReturnType<typeof lead>['updateQuestion']>[0])
const named = (...values: string[]) => values.map(value => ({ value, text: value.toUpperCase(), description: null }))
const order =
  (turn: <T>(ids: T[]) => T[]) =>
  ({ id, questions }: Dataset) =>
    lead().setQuestionsOrder({ params: { dataset_id: id }, body: { question_ids: turn([...questions.values()]) } })

const CHANGES: Change[] = [
  { what: 'a title', make: dataset => rename(dataset, { title: 'Which subjects' }) },
  { what: 'a description', make: dataset => rename(dataset, { description: 'All **that** fit.' }) },
  {
    what: 'guidelines',
    make: ({ id }) => lead().updateDataset({ params: { dataset_id: id }, body: { guidelines: 'Read it.' } }),
  },
  {
    what: 'a new label',
    make: dataset =>
      lead().addQuestionOptions({ params: idOf(dataset, 'topic'), body: { options: [{ value: 'new', text: 'New' }] } }),
  },
  {
    what: 'names of labels',
    make: dataset =>
      rename(dataset, { settings: { type: 'multi_label_selection', options: named('price', 'speed', 'taste', 'new') } }),
  },
  {
    what: 'a label that is merged',
    make: dataset => lead().migrateQuestionOption({ params: idOf(dataset, 'topic'), body: { from: 'taste', to: 'price' } }),
  },
  {
    what: 'a label that is removed',
    make: dataset => lead().migrateQuestionOption({ params: idOf(dataset, 'topic'), body: { from: 'new', to: null } }),
  },
  { what: 'the order', make: order(ids => ids.toReversed()) },
  { what: 'another order', make: order(ids => [...ids.slice(2), ...ids.slice(0, 2)]) },
  {
    what: 'required',
    make: dataset => lead().setQuestionRequired({ params: idOf(dataset, 'order'), body: { required: false } }),
  },
  {
    what: 'metadata',
    make: ({ id }) =>
      lead().createMetadataProperty({
        params: { dataset_id: id },
        body: { name: 'length', title: 'Length', settings: { type: 'integer' } },
      }),
  },
  {
    what: 'vectors',
    make: ({ id }) =>
      lead().createVectorsSettings({ params: { dataset_id: id }, body: { name: 'v', title: 'V', dimensions: 3 } }),
  },
  {
    what: 'a member less, and again',
    isSilent: true,
    async make() {
      const params = { workspace_id: world.workspaceId }
      const newcomer = await world.owner.createUser({
        body: { username: `new-${Date.now()}`, first_name: 'New', role: 'annotator', password: 'a password' },
      })
      await world.owner.addWorkspaceUser({ params, body: { user_id: newcomer.id } })
      await world.owner.removeWorkspaceUser({ params: { ...params, user_id: newcomer.id } })
    },
  },
]

interface Situation {
  what: string
  open?(id: string): Promise<unknown>
  begin(): Promise<unknown>
  /** What must stay as it is. */
  look(): Promise<unknown>
  /** Goes on where the person was. */
  end(): Promise<unknown>
}

const TEXT = 'Record number 3'
const atThree = async (id: string) => {
  await openDataset(page, id)
  for (let i = 0; i < 3; i++) await press('ArrowRight')
  await expectRecordText(page, TEXT)
}
const editor = () => question('note').locator('textarea')
const comment = () => page.locator('dialog[open] textarea')
/** The text, and its selection if it has the focus. */
const typed = (box: ReturnType<typeof editor>) =>
  box.evaluate((area: HTMLTextAreaElement) => [
    area.value,
    area === document.activeElement && [area.selectionStart, area.selectionEnd],
  ])
const inText = async () => [
  await page.getByTestId('field-text').first().locator('[data-cursor]').count(),
  await page.evaluate(() => document.activeElement?.matches('.span-text')),
]

const SITUATIONS: Situation[] = [
  {
    what: 'typing',
    async begin() {
      await editor().focus()
      await page.keyboard.type('half a sen')
      await press('Shift+ArrowLeft', 'Shift+ArrowLeft')
    },
    look: () => typed(editor()),
    async end() {
      await page.keyboard.type('ntence')
      expect(await editor().inputValue()).toBe('half a sntence')
    },
  },
  {
    what: 'selecting a span',
    begin: () => press('r', 'ArrowRight', 'Shift+ArrowRight'),
    look: inText,
    async end() {
      await press('1')
      await expect.poll(() => page.getByTestId('span').count()).toBe(1)
    },
  },
  {
    what: 'dragging a rank',
    async begin() {
      await option('order', 'b').hover()
      await page.mouse.down()
      const box = await question('order').locator('.hole').first().boundingBox()
      await page.mouse.move((box?.x ?? 0) + 60, (box?.y ?? 0) + 10, { steps: 4 })
    },
    look: () => question('order').locator('.rank-item.dragged').innerText(),
    async end() {
      const box = await question('order').locator('.hole').first().boundingBox()
      await page.mouse.move((box?.x ?? 0) + 60, (box?.y ?? 0) + 10, { steps: 4 })
      await page.mouse.up()
      await expect.poll(() => question('order').locator('.hole').first().innerText()).toContain('b')
    },
  },
  {
    what: 'writing a comment',
    async begin() {
      await press('c')
      await comment().fill('Half a comm')
    },
    look: () => typed(comment()),
    async end() {
      await page.keyboard.type('ent')
      expect(await comment().inputValue()).toBe('Half a comment')
    },
  },
  {
    what: 'answering many records',
    open: id => openBulkView(id, '?page=2~10'),
    async begin() {
      for (const at of [1, 3]) await page.getByTestId('tick').nth(at).click()
      await editor().focus()
      await page.keyboard.type('for both')
    },
    look: async () => [
      await page.getByTestId('selected').innerText(),
      await page.getByTestId('position').innerText(),
      await page.getByTestId('record').first().innerText(),
      await typed(editor()),
    ],
    async end() {
      await page.keyboard.type('!')
      expect(await editor().inputValue()).toBe('for both!')
    },
  },
]

test.each(SITUATIONS)('while $what', async ({ what, open = atThree, begin, look, end }) => {
  const questions = [
    text('note'),
    multiLabel('topic', ['price', 'speed', 'taste']),
    ranking('order', ['a', 'b', 'c']),
    span('names', ['person', 'place']),
  ]
  const id = await seed(world, { name: `meanwhile ${what}`, questions, records: texts(30) })
  const { items } = await lead().listQuestions({ params: { dataset_id: id } })
  const dataset = { id, questions: new Map(items.map(one => [one.name, one.id])) }
  await open(id)
  await begin()
  const before = await look()
  for (const change of CHANGES) {
    const isRead = (url: string) => new URL(url).pathname.endsWith(`/datasets/${id}`)
    const read = change.isSilent ? null : page.waitForResponse(response => isRead(response.url()))
    await change.make(dataset)
    await read
    await page.evaluate(() => new Promise(requestAnimationFrame))
    if (!change.isSilent) await page.getByText('The settings of this dataset have changed.').waitFor()
    expect(await look(), change.what).toEqual(before)
  }
  await end()
})
