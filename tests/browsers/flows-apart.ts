/** Offline work and the isolation of templates, for which each browser has its own rules. */
import { createServer, type Server } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { label, texts } from '../e2e/seed.ts'
import { begin, byTestId, expectSaved, expectText, network, page, RECORD, waitFor, world } from './desk.ts'
import { until } from './page.ts'

export function testOffline(): void {
  test('without a network, answers wait and the page opens again; they are sent when it is back', async () => {
    const id = await begin('offline', { questions: [label('mood', ['good', 'bad'])], records: texts(12) })
    await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true)
    // With the service worker active, the page is cached; its records are stored a moment after they are shown.
    await page.reload()
    await expectText('Record number 0')
    await expect.poll(() => page.evaluate(countKept, `postil.${world.annotator.id}`)).toBe(12)
    network.refuse()
    try {
      await page.press('1')
      await expectText('Record number 1')
      await page.press('2')
      await expectText('Record number 2')
      await expect.poll(() => page.attributeOf(byTestId('connection'), 'data-state')).toBe('offline')
      await page.reload()
      await expectText('Record number 2')
      await page.press('1')
      await expectText('Record number 3')
    } finally {
      network.resume()
    }
    await expectSaved()
    const { items } = await world.owner.listRecords({ params: { dataset_id: id }, query: { limit: 20, include: ['responses'] } })
    const answers = items.map(({ responses }) => responses?.map(({ values }) => values.mood?.value).join() ?? '')
    expect(answers.filter(Boolean)).toEqual(['good', 'bad', 'good'])
  })
}

/** Runs in the page: number of records stored for offline use, in the list that was stored last. */
function countKept(database: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(database)
    opening.onerror = () => reject(opening.error)
    opening.onsuccess = () => {
      const reading = opening.result.transaction('copies').objectStore('copies').getAll()
      reading.onerror = () => reject(reading.error)
      reading.onsuccess = () => {
        opening.result.close()
        const lists: { ids?: string[]; pages?: string[] }[] = reading.result
        resolve(Math.max(0, ...lists.map(({ ids, pages }) => (ids && pages ? ids.length : 0))))
      }
    }
  })
}

/** Attempts of a template: name -> source of an expression that may throw and may be a promise. */
const ATTEMPTS = (address: string): Record<string, string> => ({
  'the page': 'parent.document.title',
  'its frame': 'frameElement.ownerDocument.title',
  'the address of the page': 'top.location.href',
  cookies: 'document.cookie',
  'local storage': 'localStorage.length',
  'session storage': 'sessionStorage.length',
  databases: `new Promise((resolve, reject) => { const o = indexedDB.open('x'); o.onsuccess = resolve; o.onerror = () => reject(o.error) })`,
  'the API': `fetch('/api/v1/me', { credentials: 'include' })`,
  'the API by its address': `fetch(document.baseURI.split('/').slice(0, 3).join('/') + '/api/v1/me', { credentials: 'include' })`,
  'another server': `fetch('http://${address}/fetch')`,
  'an image of another server': `new Promise((resolve, reject) => { const i = new Image(); i.onload = resolve; i.onerror = reject; i.src = 'http://${address}/image' })`,
  'a window': `(w => { if (!w) throw new Error('none'); return w })(open('http://${address}/window'))`,
})

export function testTemplates(): void {
  let listener: Server
  const heard: string[] = []
  beforeAll(async () => {
    listener = createServer(socket =>
      socket.on('data', data => heard.push(data.toString('latin1').slice(0, 40))).on('error', () => {}),
    )
    await new Promise<void>(resolve => listener.listen(0, '127.0.0.1', resolve))
  })
  afterAll(() => void listener?.close())
  const card = (template: string, advanced_mode: boolean) => ({
    fields: [{ name: 'card', title: 'Card', required: true, settings: { type: 'custom' as const, template, advanced_mode } }],
    questions: [label('mood', ['good', 'bad'])],
    records: [0, 1].map(i => ({ fields: { card: { name: `Card ${i}` } } })),
  })
  /** Reads from the template of the record at this position (from 1) once the frame has reported that it is drawn. */
  const inFrame = async <T>(position: string, read: () => T) => {
    await until(async () => (await page.textOf(byTestId('position'))) === position, `record ${position} is shown`)
    await waitFor(`${RECORD} .place:not(.waiting) > iframe`)
    return page.inFrame(`${RECORD} iframe`, () => page.evaluate(read))
  }

  describe('templates', () => {
    test('are drawn in frames of their own, record after record', async () => {
      await begin('template', card('<b>{{record.fields.card.name}}</b>', false))
      expect(await inFrame('1', () => document.body.innerText)).toBe('Card 0')
      await page.click(byTestId('next'))
      expect(await inFrame('2', () => document.body.innerText)).toBe('Card 1')
    })

    test('with scripts know the record, and reach neither the page nor the session nor another server', async () => {
      const address = `127.0.0.1:${(listener.address() as { port: number }).port}`
      const attempts = ATTEMPTS(address)
      const tries = Object.entries(attempts).map(
        ([name, source]) => `try { await (${source}); reached.push('${name}') } catch { refused.push('${name}') }`,
      )
      // Some browsers block navigation without an error, so the test continues in the page and checks for connections.
      const script = `(async () => { const reached = [], refused = []; ${tries.join('\n')}
        try { top.location = 'http://${address}/top' } catch {}
        out.textContent = JSON.stringify({ name: record.fields.card.name, reached, refused }) })()`
      await begin('isolated', card(`<b id="out"></b><script>${script}</script>`, true))
      const said = (position: string) => inFrame(position, () => document.querySelector('#out')?.textContent ?? '')
      await expect.poll(() => said('1')).toContain('reached')
      expect(JSON.parse(await said('1'))).toEqual({ name: 'Card 0', reached: [], refused: Object.keys(attempts) })
      await page.click(byTestId('next'))
      await expect.poll(() => said('2')).toContain('Card 1')
      expect(heard).toEqual([])
    })
  })
}
