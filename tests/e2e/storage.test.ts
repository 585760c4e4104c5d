/** The browser's storage fails in various ways: answers still arrive, or the user is warned before they leave. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectRecordText, expectSaved, openDataset } from './annotation-page.ts'
import { enter, signIn, takeSeat } from './browser.ts'
import { takeWorld, world } from './desk.ts'
import { label, seed, texts } from './seed.ts'

takeWorld()

const question = label('answer', ['yes', 'no'])
const COUNT = 30

/** Each runs in the page before our own scripts. */
const FAILURES: Record<string, () => void> = {
  'a database that throws when it is opened': () => {
    IDBFactory.prototype.open = () => {
      throw new DOMException('denied', 'SecurityError')
    }
  },
  'a database that never opens': () => {
    IDBFactory.prototype.open = () => new EventTarget() as IDBOpenDBRequest
  },
  'a browser without databases': () => {
    Object.defineProperty(globalThis, 'indexedDB', { value: undefined })
  },
  'a store that throws when something is put': () => {
    IDBObjectStore.prototype.put = () => {
      throw new DOMException('full', 'QuotaExceededError')
    }
  },
  'transactions that are aborted, as on a full disk': () => {
    const put = IDBObjectStore.prototype.put
    IDBObjectStore.prototype.put = function (this: IDBObjectStore, ...given: Parameters<typeof put>) {
      const request = put.apply(this, given)
      this.transaction.abort()
      return request
    }
  },
  'transactions that never end': () => {
    const put = IDBObjectStore.prototype.put
    IDBObjectStore.prototype.put = function (this: IDBObjectStore, ...given: Parameters<typeof put>) {
      const request = put.apply(this, given)
      const again = () => {
        this.count().onsuccess = again
      }
      again()
      return request
    }
  },
  'local storage that throws': () => {
    for (const name of ['getItem', 'setItem', 'removeItem'] as const)
      Storage.prototype[name] = () => {
        throw new DOMException('denied', 'SecurityError')
      }
  },
  'no storage at all': () => {
    Object.defineProperty(globalThis, 'indexedDB', { value: undefined })
    Object.defineProperty(globalThis, 'localStorage', {
      get: () => {
        throw new DOMException('denied', 'SecurityError')
      },
    })
  },
}

async function countAnswers(datasetId: string): Promise<number> {
  const { responses } = await world.annotator.client.getMyDatasetMetrics({ params: { dataset_id: datasetId } })
  return responses.submitted
}

async function answerAll(page: Page, from: number, to: number) {
  for (let i = from; i < to; i++) {
    await expectRecordText(page, `Record number ${i}`)
    await page.keyboard.press('1')
  }
}

test.each(Object.entries(FAILURES))('%s: 30 of 30 answers arrive', async (name, fail) => {
  const id = await seed(world, { name: name.slice(0, 60), questions: [question], records: texts(COUNT + 5) })
  const { page, context, troubles } = await takeSeat(world.server.url, { allow: [/401/] })
  await context.addInitScript(fail)
  await signIn(page, world.annotator.username, world.annotator.password)
  await openDataset(page, id)
  await answerAll(page, 0, COUNT)
  await expectSaved(page)
  expect(await countAnswers(id)).toBe(COUNT)
  expect(troubles).toEqual([])
  await context.close()
})

test('site data that is cleared while the tab is open: what waits is sent after the next sign-in', async () => {
  const id = await seed(world, { name: 'cleared', questions: [question], records: texts(12) })
  const { page, context } = await takeSeat(world.server.url, { allow: [/401/, /Failed to load/] })
  await enter(context, world, world.annotator)
  await openDataset(page, id)
  await answerAll(page, 0, 2)
  await expectSaved(page)
  const session = await context.newCDPSession(page)
  await session.send('Storage.clearDataForOrigin', { origin: world.server.url, storageTypes: 'all' })
  await answerAll(page, 2, 7)
  await page.getByTestId('sign-in-now').click()
  await page.getByTestId('sign-in-password').fill(world.annotator.password)
  await page.getByTestId('sign-in-submit').click()
  await expectSaved(page)
  expect(await countAnswers(id)).toBe(7)
  await context.close()
})

test('without storage and without a network: one clear line, and the browser asks before the page is left', async () => {
  const id = await seed(world, { name: 'warned', questions: [question], records: texts(12) })
  const { page, context } = await takeSeat(world.server.url, { allow: [/401/, /Failed to load/, /ERR_/] })
  await context.addInitScript(FAILURES['a store that throws when something is put'] ?? (() => undefined))
  await enter(context, world, world.annotator)
  await openDataset(page, id)
  await context.route('**/me/responses/bulk', route => route.abort('connectionreset'))
  await answerAll(page, 0, 3)
  await expect.poll(() => page.getByTestId('unstored').innerText()).toContain('3 answers are not sent yet')
  const asked: string[] = []
  page.on('dialog', dialog => {
    asked.push(dialog.type())
    void dialog.dismiss()
  })
  await page.close({ runBeforeUnload: true })
  await expect.poll(() => asked).toEqual(['beforeunload'])
  await context.unrouteAll()
  await expectSaved(page)
  expect(await countAnswers(id)).toBe(3)
  await context.close()
})

test('storage that works again keeps what waits, so that a closed tab loses nothing', async () => {
  const id = await seed(world, { name: 'again', questions: [question], records: texts(6) })
  const { page, context } = await takeSeat(world.server.url, { allow: [/401/, /Failed to load/] })
  await context.addInitScript(() => {
    const put = IDBObjectStore.prototype.put
    IDBObjectStore.prototype.put = function (this: IDBObjectStore, ...given: Parameters<typeof put>) {
      if ('isFull' in globalThis) throw new DOMException('full', 'QuotaExceededError')
      return put.apply(this, given)
    }
  })
  await enter(context, world, world.annotator)
  await openDataset(page, id)
  await context.route('**/me/responses/bulk', route => route.abort('connectionreset'))
  await page.evaluate(() => Object.assign(globalThis, { isFull: true }))
  await answerAll(page, 0, 2)
  await page.getByTestId('unstored').waitFor()
  await page.evaluate(() => Reflect.deleteProperty(globalThis, 'isFull'))
  await page.getByTestId('unstored').waitFor({ state: 'detached' })
  await page.close()
  await context.unrouteAll()
  const next = await context.newPage()
  await next.goto('')
  await expect.poll(() => countAnswers(id)).toBe(2)
  await context.close()
})

test('a newer build may change the tables while a tab is open: it is not held up, and the old tab goes on', async () => {
  const id = await seed(world, { name: 'upgrade', questions: [question], records: texts(6) })
  const { page, context } = await takeSeat(world.server.url, { allow: [/401/] })
  await enter(context, world, world.annotator)
  await openDataset(page, id)
  await answerAll(page, 0, 1)
  await expectSaved(page)
  const other = await context.newPage()
  await other.goto('api/v1/docs')
  const upgraded = await other.evaluate(
    name =>
      new Promise(resolve => {
        const request = indexedDB.open(name, 99)
        request.onblocked = () => resolve('blocked')
        request.onsuccess = () => resolve('upgraded')
        request.onerror = () => resolve(request.error?.name)
      }),
    `postil.${world.annotator.id}`,
  )
  expect(upgraded).toBe('upgraded')
  await answerAll(page, 1, 4)
  await expectSaved(page)
  expect(await countAnswers(id)).toBe(4)
  await context.close()
})

test('answers that an earlier version left in the shared database are sent, and nobody else’s', async () => {
  const id = await seed(world, { name: 'moved', questions: [question], records: texts(3) })
  const { items } = await world.annotator.client.listMyRecords({ params: { dataset_id: id } })
  const { page, context } = await takeSeat(world.server.url, { allow: [/401/] })
  await page.goto('sign-in')
  const writes = items.map(({ id: recordId }, i) => ({
    ...{ id: crypto.randomUUID(), tab: 'old', userId: i === 2 ? 'somebody-else' : world.annotator.id, datasetId: id, recordId },
    ...{ status: 'submitted', values: { answer: { value: 'yes' } }, base: null, responseId: null },
    ...{ madeAt: i, tries: 0, refusal: null },
  }))
  await page.evaluate(
    rows =>
      new Promise<void>((resolve, reject) => {
        const request = indexedDB.open('postil', 2)
        request.onupgradeneeded = () => {
          for (const table of ['outbox', 'edits', 'views', 'copies']) request.result.createObjectStore(table)
        }
        request.onerror = () => reject(request.error)
        request.onsuccess = () => {
          const adding = request.result.transaction('outbox', 'readwrite')
          for (const row of rows) adding.objectStore('outbox').put(row, row.id)
          adding.oncomplete = () => {
            request.result.close()
            resolve()
          }
        }
      }),
    writes,
  )
  await enter(context, world, world.annotator)
  await page.goto('')
  await expect.poll(() => countAnswers(id)).toBe(2)
  await context.close()
})
