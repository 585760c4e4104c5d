import type { ShareCard } from '@postil/domain/share'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RequestContext } from '../../context.ts'
import { signToken } from '../../http/token.ts'
import { openSecrets } from '../../lib/secrets.ts'
import { addToCounts } from '../../storage/heads.ts'
import { write } from '../../storage/write.ts'
import { openTestApp } from '../../testing/app.ts'
import { addPublished, addRecords, addResponse, openTestTeam, type TestTeam } from '../datasets/testing/datasets.ts'
import { updateDataset } from '../datasets/update.ts'
import type { RecordRow } from '../records/store.ts'
import { noteShared, shareMyProgress } from './create.ts'
import { signCard, verifyCard } from './sign.ts'

let team: TestTeam
let app: ReturnType<typeof openTestApp>
let datasetId: string
let records: RecordRow[]
beforeAll(async () => {
  team = await openTestTeam({ SERVICE_ENABLE_SHARE_YOUR_PROGRESS: 'true' })
  app = openTestApp(team.ctx)
  datasetId = (await addPublished(team)).id
  records = await addRecords(team.ctx, datasetId, [null, null, null, null])
  await write(team.ctx, async tx => addToCounts(tx, datasetId, { records: 0, completed: 1 }))
})
afterAll(() => team.ctx.close())

/** Runs both steps: a reader creates the card, and the writer logs it. */
const shareWhole = async (ctx: RequestContext) =>
  noteShared(ctx, (await shareMyProgress(ctx, datasetId)).body as { dataset_id: string; card: string })
const recordAt = (index: number) => records[index] as RecordRow
const CARD: ShareCard = { dataset: 'letters', submitted: 84, completed: 1_204, total: 3_000, date: '2026-11-15' }
const signed = (changes: Partial<ShareCard> = {}) => signCard(team.ctx.secrets, { ...CARD, ...changes })
const ask = (card: string) => app.inject(`/api/v1/share-card?card=${encodeURIComponent(card)}`)

describe('a card', () => {
  test('is made from two submitted responses on; drafts, discards and those of others do not count', async () => {
    await addResponse(team.annotator, recordAt(0))
    await addResponse(team.annotator, recordAt(1), 'draft')
    await addResponse(team.annotator, recordAt(2), 'discarded')
    for (const record of records) await addResponse(team.admin, record)
    await expect(shareMyProgress(team.annotator, datasetId)).rejects.toThrow('there are 1')
    await addResponse(team.annotator, recordAt(3))
    const { card } = await shareWhole(team.annotator)
    const opened = verifyCard(team.ctx.secrets, card)
    expect(opened).toMatchObject({ submitted: 2, completed: 1, total: 4, date: team.ctx.now().slice(0, 10) })
  })

  test('says nothing of the person', async () => {
    const { card } = await shareWhole(team.annotator)
    const payload = Buffer.from(card, 'base64url').toString('latin1')
    for (const secret of [team.annotator.actor.username, team.annotator.actor.id, datasetId])
      expect(payload).not.toContain(secret)
  })

  test('of somebody else’s workspace is not for strangers', async () => {
    await expect(shareMyProgress(team.strangeAnnotator, datasetId)).rejects.toMatchObject({ code: 'forbidden' })
  })

  test('is not found while sharing is off, by anybody, also for what does not exist', async () => {
    const off = { ...team.owner, config: { ...team.owner.config, shareYourProgress: false } }
    for (const id of [datasetId, team.ctx.newId()])
      await expect(shareMyProgress(off, id)).rejects.toThrow('Sharing progress is off')
  })
})

describe('the picture of a card', () => {
  test('is text that runs nothing, loads nothing and may be kept for a day', async () => {
    const answer = await ask(signed())
    expect(answer.statusCode).toBe(200)
    expect(answer.headers).toMatchObject({
      'content-type': 'image/svg+xml; charset=utf-8',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      'cache-control': 'public, max-age=86400',
      'x-content-type-options': 'nosniff',
    })
    expect(answer.body).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" width="1200" height="630"/)
    for (const text of ['>letters<', '>84<', '>Team: 1,204 of 3,000 complete<', '>15 November 2026<'])
      expect(answer.body).toContain(text)
    expect(answer.body.match(/https?:|href|url\(|<script|<image|<style|@import/g)).toEqual(['http:'])
  })

  test.each([
    '</svg><script>alert(1)</script>',
    '"><image href="https://evil.example/x.png"/>',
    "' onload='alert(1)",
    ']]><!-- & &amp; &#60;',
    '<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>&x;',
  ])('shows a dataset called %s as text', async name => {
    await updateDataset(team.owner, datasetId, { name })
    const { card } = await shareWhole(team.annotator)
    const { body, statusCode } = await ask(card)
    expect(statusCode).toBe(200)
    const plain = (await ask(signed({ dataset: 'plain' }))).body
    const tags = (svg: string) => new Set(Array.from(svg.matchAll(/<\/?[!\w]+/g), ([tag]) => tag))
    expect(tags(body)).toEqual(tags(plain))
    expect(body.match(/&(?!(amp|lt|gt|quot|#39);)/)).toBeNull()
  })

  test.each([
    ['one digit', 9, 128],
    ['a million', 1_234_567, 55],
    ['all there is', Number.MAX_SAFE_INTEGER, 23],
  ])('has room for %s', async (_, submitted, size) => {
    const { body } = await ask(signed({ submitted }))
    expect(body).toMatch(new RegExp(`font-size="${size}"[^>]*>${submitted.toLocaleString('en')}<`))
  })

  test('begins a name of a script from right to left where the others begin', async () => {
    expect((await ask(signed({ dataset: '«رسائل»' }))).body).toMatch(/ direction="rtl" text-anchor="end">«رسائل»</)
  })

  test('of an empty dataset shows an empty bar', async () => {
    expect((await ask(signed({ completed: 0, total: 0 }))).body).toContain('width="0"')
  })
})

describe('a card that is not ours', () => {
  const FORGED: [string, () => string | Promise<string>][] = [
    ['is nothing', () => '.'],
    ['has no signature', () => signed().split('.')[0] ?? ''],
    ['has an empty signature', () => `${signed().split('.')[0]}.`],
    ['has a signature cut short', () => signed().slice(0, -1)],
    ['has a signature made longer', () => `${signed()}A`],
    ['has one more part', () => `${signed()}.x`],
    ['has another card’s signature', () => `${signed().split('.')[0]}.${signed({ submitted: 85 }).split('.')[1]}`],
    ['is written otherwise', () => signed().replace('.', '=.')],
    ['is of another server', () => signCard(openSecrets(team.ctx.config.homePath, 'another secret'), CARD)],
    [
      'is a sign-in token',
      () => signToken(team.ctx, { id: '1', first_name: 'a', username: 'b', role: 'owner', credentials_version: 1 }),
    ],
    ['is not ASCII', () => 'é.é'],
  ]

  test.each(FORGED)('%s: refused', async (_, card) => {
    const answer = await ask(await card())
    expect([answer.statusCode, answer.json()]).toEqual([422, { detail: expect.stringContaining('`card` is not whole') }])
    expect(answer.headers['cache-control']).toBe('no-store')
  })

  test('is not even looked at while sharing is off', async () => {
    const off = { ...team.ctx, config: { ...team.ctx.config, shareYourProgress: false } }
    for (const card of [signed(), 'nonsense']) {
      const answer = await openTestApp(off).inject(`/api/v1/share-card?card=${card}`)
      expect([answer.statusCode, answer.json()]).toEqual([404, { detail: 'Sharing progress is off on this server' }])
    }
  })
})
