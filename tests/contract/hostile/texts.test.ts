/** Texts that cannot be stored, unusual texts that must be stored unchanged, and texts that are too long. */
import type { DatasetRecord } from '@postil/domain/records'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectProblem } from '../answers.ts'
import { type BuiltDataset, first, idOf, SMALL, SMALL_DRAFT, TEXT_FIELD, toOptions } from '../datasets.ts'
import { fresh } from '../http.ts'
import { datasetOf, openTarget, recordsOf, sendJson, type Target, writesNothing } from './target.ts'

let target: Target
let dataset: BuiltDataset
let draft: BuiltDataset
let record: DatasetRecord
beforeAll(async () => {
  target = await openTarget()
  dataset = await datasetOf(target)
  draft = await datasetOf(target, SMALL_DRAFT)
  record = first(await recordsOf(target, dataset, [{ fields: { text: 'An apple' } }]))
})
afterAll(() => target?.close())

type Row = [request: () => string, body: () => string, ...loc: (string | number)[]]
const dir = () => `"workspace_id":"${target.workspaceId}"`
const user = '"first_name":"Lena","password":"a long password","role":"annotator"'
const options = '[{"value":"a","text":"A"},{"value":"@","text":"B"}]'

/** Every text property of a body. `@` marks the place of the invalid text. */
const PLACES: Row[] = [
  [() => 'POST /workspaces', () => '{"name":"x@"}', 'name'],
  [() => 'POST /users', () => `{${user},"username":"x@"}`, 'username'],
  [() => 'POST /users', () => '{"first_name":"@","username":"u","password":"a long password"}', 'first_name'],
  [() => 'POST /users', () => '{"first_name":"x","username":"u","password":"a long password@"}', 'password'],
  [() => 'POST /datasets', () => `{"name":"x@",${dir()}}`, 'name'],
  [() => 'POST /datasets', () => `{"name":"x",${dir()},"guidelines":"@"}`, 'guidelines'],
  [() => 'POST /datasets', () => `{"name":"x",${dir()},"metadata":{"a":["@"]}}`, 'metadata', 'a', 0],
  [() => `PATCH ${dataset.path}`, () => '{"name":"x@"}', 'name'],
  [() => `POST ${draft.path}/fields`, () => '{"name":"x@","title":"X","settings":{"type":"text"}}', 'name'],
  [() => `POST ${draft.path}/fields`, () => '{"name":"x","title":"@","settings":{"type":"text"}}', 'title'],
  [
    () => `POST ${draft.path}/fields`,
    () => '{"name":"x","title":"X","settings":{"type":"custom","template":"@"}}',
    'settings',
    'template',
  ],
  [() => `POST ${draft.path}/questions`, () => '{"name":"x@","title":"X","settings":{"type":"text"}}', 'name'],
  [
    () => `POST ${draft.path}/questions`,
    () => `{"name":"x","title":"X","settings":{"type":"label_selection","options":${options}}}`,
    'settings',
    'options',
    1,
    'value',
  ],
  [
    () => `POST ${dataset.path}/metadata-properties`,
    () => '{"name":"x","title":"X","settings":{"type":"terms","values":["@"]}}',
    'settings',
    'values',
    0,
  ],
  [() => `POST ${dataset.path}/vectors-settings`, () => '{"name":"@","title":"X","dimensions":3}', 'name'],
  [() => `POST ${dataset.path}/records/bulk`, () => '{"items":[{"fields":{"text":"a@b"}}]}', 'items', 0, 'fields', 'text'],
  [() => `PUT ${dataset.path}/records/bulk`, () => '{"items":[{"fields":{"text":"a@b"}}]}', 'items', 0, 'fields', 'text'],
  [
    () => `POST ${dataset.path}/records/bulk`,
    () => '{"items":[{"fields":{"text":"a"},"external_id":"@"}]}',
    'items',
    0,
    'external_id',
  ],
  [() => `PATCH /records/${record.id}`, () => '{"metadata":{"extra":{"deep":"@"}}}', 'metadata', 'extra', 'deep'],
  [() => `PATCH /records/${record.id}`, () => '{"fields":{"text":"a","page":{"a":["@"]}}}', 'fields', 'page', 'a', 0],
  [
    () => `PATCH /records/${record.id}`,
    () => '{"fields":{"text":"a","talk":[{"role":"user","content":"@"}]}}',
    'fields',
    'talk',
    0,
    'content',
  ],
  [
    () => `PUT /records/${record.id}/suggestions`,
    () => `{"question_id":"${idOf(dataset.questions, 'comment')}","value":"@"}`,
    'value',
  ],
  [
    () => `PUT /records/${record.id}/suggestions`,
    () => `{"question_id":"${idOf(dataset.questions, 'comment')}","value":"x","agent":"a@"}`,
    'agent',
  ],
  [
    () => `POST /records/${record.id}/responses`,
    () => '{"status":"draft","values":{"comment":{"value":"@"}}}',
    'values',
    'comment',
    'value',
  ],
  [() => `POST ${dataset.path}/records/search`, () => '{"query":{"text":{"q":"@"}}}', 'query', 'text', 'q'],
  [
    () => `POST ${dataset.path}/records/search`,
    () => '{"filters":{"and":[{"type":"terms","scope":{"entity":"record","property":"id"},"values":["@"]}]}}',
    'filters',
    'and',
    0,
    'values',
    0,
  ],
]

const BAD = ['\\u0000', '\\ud800', '\\uDC00', '\\udc00\\ud800', '\\ud83dx', '\\ud83d\\u0041', '\\ud83d\\\\udc4d']

describe('a NUL or half of a surrogate pair', () => {
  writesNothing(() => target)

  test.each(PLACES.map(([request, body, ...loc]) => ({ request, body, loc })))(
    'is refused at $loc',
    async ({ request, body, loc }) => {
      for (const bad of BAD) {
        expectProblem(await sendJson(target.owner, request(), body().replace('@', bad)), 'value_error', 'body', ...loc)
      }
    },
  )

  test.each(['metadata', 'fields', 'vectors'])('is refused in a key of %s', async part => {
    for (const bad of BAD) {
      const answer = await sendJson(target.owner, `PATCH /records/${record.id}`, `{"${part}":{"a${bad}":{}}}`)
      expect(answer.status).toBe(422)
      expect(answer.text).toContain('property name')
    }
  })
})

describe('valid requests still work', () => {
  test('a whole pair, and a backslash before a u, are fine', async () => {
    const answer = await sendJson(
      target.owner,
      `PATCH /records/${record.id}`,
      '{"metadata":{"a":"\\ud83d\\udc4d \\\\ud800 \\\\u0000"}}',
    )
    expect(answer.body).toMatchObject({ metadata: { a: '👍 \\ud800 \\u0000' } })
  })
})

const ODD = {
  emoji: '👩‍👩‍👧‍👦🏳️‍🌈👍🏽',
  'combining marks': 'Z̷̢̛͎a̷l̴g̶o̵',
  'one letter in two forms': 'é é',
  'right to left': 'مرحبا שלום',
  'direction overrides': '\u202eevil\u202c\u2066x\u2069',
  'zero width': 'a\u200bb\u200cc\u200dd\ufeffe\u2060f',
  blanks: '\u00a0 \u3000\t',
  'private use': '\ue000\u{10ffff}',
  'no characters': '\uffff\ufffe',
  controls: '\u0001\u001f\u007f\u0085\u2028\u2029',
  markup: '<script>alert(1)</script>&amp;"\'`',
  escapes: '\\n \\u0041 %00 $x {{x}} #{x}',
}

/** People could not tell these names from others (names.test.ts). */
const REFUSED_AS_NAMES = ['emoji', 'direction overrides', 'zero width', 'blanks', 'private use', 'no characters', 'controls']

describe.each(Object.entries(ODD))('%s', (what, text) => {
  test('as labels, answers, terms, agents of words and record texts come back to the letter', async () => {
    const built = await datasetOf(target, {
      ...SMALL,
      fields: [TEXT_FIELD, { name: text, title: text, settings: { type: 'text' } }],
      questions: [
        {
          name: `${text} ?`,
          title: text,
          description: text,
          required: true,
          settings: { type: 'label_selection', options: toOptions([text, `${text}2`]) },
        },
      ],
      properties: [{ name: text, title: text, settings: { type: 'terms', values: [text] } }],
    })
    const values = { [`${text} ?`]: { value: text } }
    const item = { fields: { text, [text]: text }, metadata: { [text]: text }, external_id: text }
    const responses = [{ user_id: target.owner.id, status: 'submitted', values }]
    const made = first(await recordsOf(target, built, [{ ...item, responses }]))
    const read = await target.owner.done<DatasetRecord>(`GET /records/${made.id}`)
    for (const { fields, metadata, external_id, responses } of [made, read]) {
      expect({ fields, metadata, external_id }).toEqual(item)
      expect(responses?.map(({ values }) => values)).toEqual([values])
    }
    const filters = [
      { entity: 'metadata', metadata_property: text },
      { entity: 'response', question: `${text} ?` },
      { entity: 'record', property: 'external_id' },
    ]
    for (const scope of filters) {
      const body = { filters: { and: [{ type: 'terms', scope, values: [text] }] } }
      expect(await target.owner.done(`POST ${built.path}/records/search`, body)).toMatchObject({ total: 1 })
    }
  })

  test('as names of users, workspaces and datasets come back to the letter, or are refused', async () => {
    const name = `${text}${fresh(what)}`
    const person = { first_name: 'x', username: name, password: 'a long password' }
    if (REFUSED_AS_NAMES.includes(what)) {
      for (const [path, body] of [['/workspaces', { name }] as const, ['/users', person] as const]) {
        expect((await target.owner.send(`POST ${path}`, body)).status).toBe(422)
      }
    } else {
      const made = await target.owner.done<{ id: string }>('POST /workspaces', { name })
      expect(await target.owner.done(`GET /workspaces/${made.id}`)).toMatchObject({ name })
      expect(await target.owner.done('POST /users', { ...person, workspaces: [name] })).toMatchObject({ username: name })
    }
    const { workspaceId: workspace_id } = target
    await target.owner.done('POST /datasets', { name, workspace_id })
    const found = await target.owner.done<{ items: object[] }>(`GET /datasets?name=${encodeURIComponent(name)}`)
    expect(found.items).toMatchObject([{ name, workspace_id }])
  })
})

describe('lengths', () => {
  writesNothing(() => target)

  const long = '👍'.repeat(201)
  const settings = { type: 'text' }
  const label = (value: string) => ({ type: 'label_selection', options: toOptions(['a', value]).map(o => ({ ...o, text: 'x' })) })

  test.each([
    ['a field name', 'fields', { name: long, title: 'X', settings }, ['name']],
    ['a question name', 'questions', { name: long, title: 'X', settings }, ['name']],
    ['a property name', 'metadata-properties', { name: long, title: 'X', settings: { type: 'terms' } }, ['name']],
    ['a vector name', 'vectors-settings', { name: long, title: 'X', dimensions: 1 }, ['name']],
    ['a title', 'fields', { name: 'x', title: 'x'.repeat(501), settings }, ['title']],
    ['a description', 'questions', { name: 'x', title: 'X', description: 'x'.repeat(1001), settings }, ['description']],
    [
      'a label',
      'questions',
      { name: 'x', title: 'X', settings: label(long) },
      ['settings', 'label_selection', 'options', 1, 'value'],
    ],
  ])('%s of more characters than allowed is refused', async (_, kind, body, loc) => {
    expectProblem(await target.owner.send(`POST ${draft.path}/${kind}`, body), 'string_too_long', 'body', ...loc)
  })
})

describe('no lengths', () => {
  test('where no length is given, a megabyte is kept', async () => {
    const text = 'é'.repeat(500_000)
    const [made] = await recordsOf(target, dataset, [{ fields: { text }, metadata: { extra: text } }])
    expect(await target.owner.done(`GET /records/${made?.id}`)).toMatchObject({ fields: { text }, metadata: { extra: text } })
  })

  test('long names of people and workspaces are kept or refused', async () => {
    for (const [path, body] of [
      ['/workspaces', { name: 'w'.repeat(100_000) }],
      ['/users', { first_name: 'x'.repeat(20_000), username: 'u'.repeat(20_000), password: 'a long password' }],
    ] as const) {
      const answer = await target.owner.send(`POST ${path}`, body)
      if (answer.status === 201) expect(answer.body).toMatchObject(body.name === undefined ? { username: body.username } : body)
      else expect(answer.status).toBe(422)
    }
  })
})
