/** A working day of each role: an annotator, an admin of a workspace, and the owner of a new server. */
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { currentRecord, expectRecordText, expectSaved, openDataset, storedResponse } from './annotation-page.ts'
import { enter, takeSeat } from './browser.ts'
import { takeWorld, world } from './desk.ts'
import { label, openWorld, type Person, seed, texts, type World } from './seed.ts'

takeWorld()

/** Runs a user's working day and checks that there are no errors. */
async function day(place: World, person: Person, act: (page: Page) => Promise<void>) {
  const seat = await takeSeat(place.server.url, { allow: [/401/] })
  await enter(seat.context, place, person)
  await seat.page.goto('')
  await seat.page.getByTestId('dataset-list').waitFor()
  await act(seat.page)
  await seat.context.close()
  expect(seat.troubles).toEqual([])
}

const letters = (name: string) =>
  seed(world, {
    name,
    guidelines: '# How to decide\n\nRead **all** of it.',
    questions: [
      label('mood', ['good', 'bad']),
      { name: 'note', title: 'Note', required: false, settings: { type: 'text', use_markdown: false } },
    ],
    records: texts(6),
  })

test('an annotator finds the work, does it, leaves and comes back to where it was', async () => {
  const id = await letters('daily')
  await day(world, world.annotator, async page => {
    expect(await page.getByTestId('create-sample').count()).toBe(0)
    await expect.poll(() => page.getByTestId('my-work').textContent()).toMatch(/daily.*6/)
    await page.getByTestId('continue').click()
    await expectRecordText(page, 'Record number 0')
    await page.getByRole('region', { name: 'Guidelines' }).getByRole('heading', { name: 'How to decide' }).waitFor()
    await page.keyboard.press('1')
    await page.keyboard.press('Control+Enter')
    await expectRecordText(page, 'Record number 1')
    await page.keyboard.press('2')
    await page.getByTestId('save-draft').click()
    await expectSaved(page)
    expect(await storedResponse(world, id, 1)).toMatchObject({ status: 'draft', values: { mood: 'bad' } })

    await page.getByTestId('queue-menu').click()
    await page.locator('[data-testid=queue][data-value=draft]').click()
    await expectRecordText(page, 'Record number 1')
    await expect.poll(() => page.getByTestId('total').textContent()).toBe('1')
    await page.keyboard.press('Control+Enter')
    await page.getByTestId('empty').waitFor()
    await expectSaved(page)
    expect(await storedResponse(world, id, 1)).toMatchObject({ status: 'submitted' })

    await openDataset(page, id)
    await page.keyboard.press('ArrowRight')
    await expectRecordText(page, 'Record number 3')
    await page.goto('')
    await page.getByTestId('my-work').waitFor()
    await page.keyboard.press('c')
    await expectRecordText(page, 'Record number 3')
  })
})

test('an annotator reads the settings of a dataset and cannot change them', async () => {
  const id = await letters('reading')
  await day(world, world.annotator, async page => {
    await page.goto(`dataset/${id}/settings?tab=questions`)
    await expect.poll(() => page.getByTestId('settings-reading').textContent()).toContain('reading')
    await page.getByRole('heading', { name: 'How to decide' }).waitFor()
    expect(await page.getByTestId('update').count()).toBe(0)
    expect(await page.locator('[data-tab]').count()).toBe(0)
  })
})

test('the server refuses what the page does not offer', async () => {
  const id = await letters('refused')
  const params = { dataset_id: id }
  await expect(world.annotator.client.updateDataset({ params, body: { name: 'mine' } })).rejects.toThrow()
  await expect(world.annotator.client.deleteDataset({ params })).rejects.toThrow()
})

describe('an admin', () => {
  test('changes guidelines and a question, and annotators see it at once', async () => {
    const id = await letters('changing')
    await day(world, world.annotator, async annotating => {
      await openDataset(annotating, id)
      await day(world, world.admin, async page => {
        await page.goto(`dataset/${id}/settings`)
        const block = page.getByTestId('block-guidelines')
        await block.getByRole('textbox').fill('# New rules\n\nShort.')
        await block.getByTestId('update').click()
        await block.getByRole('status').filter({ hasText: 'Saved' }).waitFor()
        await page.locator('[data-tab=questions]').click()
        const question = page.getByTestId('block-question-mood')
        await question.getByRole('textbox', { name: 'Title' }).fill('How does it sound?')
        await question.getByTestId('update').click()
        await question.getByRole('status').filter({ hasText: 'Saved' }).waitFor()
      })
      await annotating.getByRole('heading', { name: 'New rules' }).waitFor()
      await expect.poll(() => annotating.getByTestId('question-mood').textContent()).toContain('How does it sound?')
    })
  })

  test('is asked before unsaved changes are left behind', async () => {
    const id = await letters('unsaved')
    await day(world, world.admin, async page => {
      await page.goto(`dataset/${id}/settings`)
      const name = page.getByTestId('block-name').getByRole('textbox').first()
      await name.fill('renamed')
      await page.getByRole('link', { name: 'Postil' }).first().click()
      await page.getByTestId('stay').click()
      await expect.poll(() => name.inputValue()).toBe('renamed')
      await page.getByTestId('block-name').getByTestId('update').click()
      await expect.poll(async () => (await world.owner.getDataset({ params: { dataset_id: id } })).name).toBe('renamed')
    })
  })

  test('deletes a dataset by typing its name', async () => {
    const id = await letters('obsolete')
    await day(world, world.admin, async page => {
      await page.goto(`dataset/${id}/settings?tab=danger-zone`)
      await page.getByTestId('delete-dataset').click()
      await page.getByTestId('delete-name').fill('obsolete')
      await page.getByTestId('delete-confirm').click()
      await page.getByTestId('dataset-list').waitFor()
      expect(await page.locator(`[data-dataset-id="${id}"]`).count()).toBe(0)
    })
    await expect(world.owner.getDataset({ params: { dataset_id: id } })).rejects.toThrow()
  })

  test('can add the sample dataset to others', async () => {
    await letters('beside')
    await day(world, world.admin, async page => {
      await page.getByTestId('create-sample').click()
      await currentRecord(page).waitFor()
      await page.goto('')
      await page.getByTestId('dataset-card').filter({ hasText: 'sample' }).waitFor()
    })
  })
})

test('an owner on an empty server has something to try within a minute', async () => {
  const fresh = await openWorld()
  await day(fresh, fresh.server, async page => {
    expect(await page.getByTestId('dataset-card').count()).toBe(0)
    await page.getByTestId('create-sample').click()
    await currentRecord(page).waitFor()

    const names = { fields: new Set<string>(), questions: new Set<string>() }
    for (const question of await page.locator('[data-testid^=question-]').all())
      names.questions.add((await question.getAttribute('data-testid')) ?? '')
    for (let i = 0; i < 10 && names.fields.size < 5; i++) {
      for (const field of await currentRecord(page).locator('[data-testid^=field-]').all())
        names.fields.add((await field.getAttribute('data-testid')) ?? '')
      await page.keyboard.press('ArrowRight')
      await page.waitForTimeout(150)
    }
    expect([...names.fields].toSorted()).toEqual(['chat', 'letter', 'order', 'picture', 'reply'].map(name => `field-${name}`))
    const asked = ['better', 'improve', 'mentions', 'mood', 'rating', 'topic'].map(name => `question-${name}`)
    expect([...names.questions].toSorted()).toEqual(asked)

    await page.keyboard.press('Home')
    await expect.poll(() => page.getByTestId('position').textContent()).toBe('1')
    const first = await currentRecord(page).getAttribute('data-record-id')
    for (const keys of [
      ['Shift+1', '2'],
      ['Shift+2', '1'],
      ['Shift+3', '4'],
      ['Escape', 'Enter'],
    ])
      for (const key of keys) await page.keyboard.press(key)
    await expect.poll(() => currentRecord(page).getAttribute('data-record-id')).not.toBe(first)
    await expectSaved(page)
    const { items } = await fresh.owner.listMyDatasets()
    const metrics = await fresh.owner.getMyDatasetMetrics({ params: { dataset_id: items[0]?.id ?? '' } })
    expect(metrics.responses).toMatchObject({ submitted: 1 })

    await page.goto('')
    await expect.poll(() => page.getByTestId('my-work').textContent()).toContain('sample')
  })
  await fresh.close()
})
