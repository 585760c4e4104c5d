/**
 * What an import stores of each kind of value, from each format that can hold it. The same value has the same result in all
 * formats, unless a format cannot tell it: the exceptions are listed with the value.
 */
import { ShapeError, type ShapeProblem } from '@postil/domain/errors'
import { prepareRecordRules } from '@postil/domain/record-rules'
import { RecordUpsert } from '@postil/domain/records'
import { expect, test } from 'vitest'
import { readConfig } from '../../config.ts'
import type { Context } from '../../context.ts'
import { compileSchema } from '../../http/validate.ts'
import { createBatch } from './batch.ts'
import { open, readAll } from './testing/tables.ts'
import {
  boolean,
  cellOf,
  columnOf,
  DECIMAL,
  type FileValue,
  type Format,
  INT64,
  list,
  listFiles,
  number,
  structure,
  TEXT,
  text,
  time,
} from './testing/value-files.ts'

const plain = { type: 'text', use_markdown: false, use_table: false } as const
const rules = prepareRecordRules({
  fields: [
    { name: 'key', required: true, settings: plain },
    { name: 'text', required: false, settings: plain },
    { name: 'custom', required: false, settings: { type: 'custom', template: 'x', advanced_mode: false } },
  ],
  metadataProperties: [
    { name: 'terms', settings: { type: 'terms', values: null } },
    { name: 'integer', settings: { type: 'integer', min: null, max: null } },
    { name: 'float', settings: { type: 'float', min: null, max: null } },
  ],
})
type Target = 'text' | 'custom' | 'terms' | 'integer' | 'float'

const validate = compileSchema(RecordUpsert)
function checkShape(item: unknown): RecordUpsert {
  const problems: ShapeProblem[] = []
  const checked = validate(item, [], problems)
  if (problems.length > 0) throw new ShapeError(problems)
  return checked as RecordUpsert
}
// Only its configuration is read.
const ctx = { config: readConfig({}, { homePath: '.' }) } as unknown as Context

class Refused {
  readonly reason: string
  constructor(reason: string) {
    this.reason = reason
  }
}
const refused = (reason: string) => new Refused(reason)

/** Returns what is stored; undefined if nothing is. */
async function store(format: Format, content: string | Uint8Array, target: Target): Promise<unknown> {
  const isField = target === 'text' || target === 'custom'
  const items = [{ source: 'value', target }]
  const mapping = {
    external_id: 'id',
    fields: [{ source: 'id', target: 'key' }, ...(isField ? items : [])],
    metadata: isField ? [] : items,
  }
  const options = { mapping, rules, name: 'rows', actorId: '', users: new Map() }
  const batch = createBatch({ ctx, options, checkShape, isSkipped: () => false, rejectsLeft: 2 })
  const opened = open(content, `rows.${format}`).then(readAll)
  const [row] = await opened.catch((error: Error) => error.message).then(rows => (typeof rows === 'string' ? [rows] : rows))
  if (row === undefined || typeof row === 'string') return refused(row ?? 'There is no row')
  batch.add(row)
  const [item] = batch.items.values()
  if (item === undefined) return refused(batch.rejected[0]?.reason ?? '')
  return (isField ? item.fields : item.metadata)?.[target]
}

const NO_INTEGER = refused('Metadata property `integer` expects an integer between -(2^53 - 1) and 2^53 - 1')
const NO_FLOAT = refused('Metadata property `float` expects a number')
const NO_OBJECT = refused('Field `custom` expects an object')

type Stored = Partial<Record<Target, unknown>>
type Case = [what: string, value: FileValue, stored: Stored, exceptions?: Partial<Record<Format, Stored>>]

const nothing: Stored = { text: undefined, custom: undefined, terms: undefined, integer: undefined, float: undefined }
const all = (refusal: Refused): Stored => ({ text: refusal, terms: refusal, integer: refusal, float: refusal })
const same = (value: unknown): Stored => ({ text: value, terms: value })
const asNumber = (value: number): Stored => ({ text: String(value), terms: value, integer: value, float: value })
/** A text format has no numbers and booleans: a term is a text there. */
const inText = (term: string, shown?: string) => {
  const stored = { terms: term, ...(shown !== undefined && { text: shown }) }
  return { csv: stored, tsv: stored }
}
const NUL = 'must not contain a NUL character'
const HALF = 'must not contain half of a surrogate pair; write characters beyond U+FFFF as \\uD8xx\\uDCxx or as they are'

const cases: Case[] = [
  ['an integer', number('7', columnOf(7, { type: 'INT32' })), asNumber(7), inText('7')],
  ['a negative integer', number('-7', columnOf(-7n, INT64)), asNumber(-7), inText('-7')],
  [
    'the largest exact integer',
    number('9007199254740991', columnOf(9007199254740991n, INT64)),
    asNumber(Number.MAX_SAFE_INTEGER),
    inText('9007199254740991'),
  ],
  ['an integer with more digits', number('9007199254740993', columnOf(9007199254740993n, INT64)), same('9007199254740993')],
  ['the largest of 64 bits', number('9223372036854775807', columnOf(2n ** 63n - 1n, INT64)), same('9223372036854775807')],
  ['the smallest of 64 bits', number('-9223372036854775808', columnOf(-(2n ** 63n), INT64)), same('-9223372036854775808')],
  ['a decimal', number('1.5', columnOf(150n, DECIMAL)), { text: '1.5', terms: 1.5, float: 1.5 }, inText('1.5')],
  ['a float', number('0.1', columnOf(0.1, { type: 'DOUBLE' })), { text: '0.1', terms: 0.1, float: 0.1 }, inText('0.1')],
  ['a whole float', number('2.0', columnOf(2, { type: 'DOUBLE' })), asNumber(2), inText('2.0', '2.0')],
  ['an exponent', number('1e5', columnOf(1e5, { type: 'DOUBLE' })), asNumber(100_000), inText('1e5', '1e5')],
  [
    // The numbers of JSON and Excel have about 16 digits.
    'a decimal with more digits',
    number('1234567890123456.78', columnOf(123456789012345678n, DECIMAL)),
    { ...same('1234567890123456.78'), float: 1234567890123456.8 },
    Object.fromEntries(
      ['jsonl', 'json', 'xlsx'].map(format => [format, { text: '1234567890123456.8', terms: 1234567890123456.8 }]),
    ),
  ],
  [
    'microseconds',
    time('2023-11-14T22:13:20.123456Z', {
      parquet: columnOf(1_700_000_000_123_456n, { type: 'INT64', converted_type: 'TIMESTAMP_MICROS' }),
    }),
    same('2023-11-14T22:13:20.123456Z'),
  ],
  [
    'a time without a zone',
    time('2026-11-18T06:00:00', {
      excel: '<c s="2"><v>46344.25</v></c>',
      parquet: columnOf(BigInt(Date.UTC(2026, 10, 18, 6)) * 1000n, {
        type: 'INT64',
        logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'MICROS' },
      }),
    }),
    same('2026-11-18T06:00:00'),
  ],
  [
    'a time without a zone before 1970',
    time('1969-12-31T23:59:59.999', {
      parquet: columnOf(-1n, { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'MILLIS' } }),
    }),
    same('1969-12-31T23:59:59.999'),
  ],
  ...(
    [
      ['2026-11-18', 46_344, 20_775],
      ['1900-01-01', 1, -25_567],
      ['1900-02-28', 59, -25_509],
      ['1900-03-01', 61, -25_508],
      ['9999-12-31', 2_958_465, 2_932_896],
    ] as const
  ).map(
    ([date, excel, parquet]): Case => [
      `the date ${date}`,
      time(date, {
        excel: `<c s="1"><v>${excel}</v></c>`,
        parquet: columnOf(parquet, { type: 'INT32', converted_type: 'DATE' }),
      }),
      same(date),
    ],
  ),
  [
    'a time of day',
    time('06:00:00', {
      excel: '<c s="3"><v>0.25</v></c>',
      parquet: columnOf(21_600_000, { type: 'INT32', converted_type: 'TIME_MILLIS' }),
    }),
    same('06:00:00'),
  ],
  [
    'a time of day with microseconds',
    time('06:00:00.00001', { parquet: columnOf(21_600_000_010n, { type: 'INT64', converted_type: 'TIME_MICROS' }) }),
    same('06:00:00.00001'),
  ],
  ['a duration', time('36:00:00', { excel: '<c s="4"><v>1.5</v></c>' }), same('36:00:00')],
  // A cell of Excel without a text is an empty cell.
  ['an empty text', text(''), { ...same(''), custom: NO_OBJECT }, { xlsx: nothing }],
  ['no value', { csv: '', json: 'null', excel: '<c/>', parquet: columnOf(null, TEXT) }, nothing],
  ['a missing key', { json: '' }, nothing],
  ['blanks', text('  '), same('  ')],
  ['blanks around a text', text(' a '), same(' a ')],
  ['true', boolean(true), { text: 'true', terms: true }, inText('true')],
  ['false', boolean(false), { text: 'false', terms: false }, inText('false')],
  ['a list of one', list(['a'], TEXT), { text: '["a"]', terms: 'a' }],
  ['a list', list(['a', 'b'], TEXT), { text: '["a","b"]', terms: ['a', 'b'] }],
  ['a list with null', list(['a', null, 'b'], TEXT), { text: '["a",null,"b"]', terms: ['a', 'b'] }],
  ['an empty list', list([], TEXT), { text: '[]', terms: [] }],
  ['numbers in a list', list([1, 2], { type: 'INT32' }), { text: '[1,2]', terms: [1, 2] }],
  ['an object', structure('{"a":{"b":[1]}}', { a: { b: [1] } }), { ...same('{"a":{"b":[1]}}'), custom: { a: { b: [1] } } }],
  [
    'a long integer in an object',
    { csv: '"{""a"":9007199254740993}"', json: '{"a":9007199254740993}', excel: cellOf('{"a":9007199254740993}') },
    { custom: { a: '9007199254740993' } },
  ],
  ['a text of digits', { ...text('7'), csv: '"7"' }, { ...same('7'), integer: 7, float: 7 }],
  ['a text with zeros first', text('007'), { ...same('007'), integer: 7, float: 7 }],
  ['a text like a date', text('18.11.2026'), same('18.11.2026')],
  ['a text like a formula', text('=1+1'), same('=1+1')],
  ['a text like null', text('null'), same('null')],
  ['a text like NaN', text('NaN'), same('NaN')],
  ['a text like a list', text('[1, 2]'), { text: '[1, 2]', terms: [1, 2] }],
  ['a long text', text('long '.repeat(1_000)), same('long '.repeat(1_000))],
  ['a byte order mark', text('\ufeffa'), same('\ufeffa')],
  ['line ends', text('a\r\nb\nc'), same('a\r\nb\nc')],
  ['a control character', { ...text('a\u0001'), excel: cellOf('a_x0001_') }, same('a\u0001')],
  ['a text like an escape of Excel', { ...text('_x0041_'), excel: cellOf('_x005F_x0041_') }, same('_x0041_')],
  ['an error of Excel', { excel: '<c t="e"><v>#N/A</v></c>' }, same('#N/A')],
  ['half of a surrogate pair', { json: '"\\ud800"' }, all(refused(`The row is not valid JSON at value: ${HALF}`))],
  ['it in an object', { csv: '"{""a"":""\\ud800""}"', excel: cellOf('{"a":"\\ud800"}') }, { custom: refused(HALF) }],
  ['a NUL', { csv: 'a\0' }, all(refused('The file is not a text: it has NUL characters'))],
  ['a NUL in JSON', { json: '"\\u0000"' }, all(refused(`The row is not valid JSON at value: ${NUL}`))],
  ['a NUL in Parquet', { parquet: columnOf('a\0', TEXT) }, all(refused(NUL))],
  ['a NUL in an object', { csv: '"{""a"":""\\u0000""}"', excel: cellOf('{"a":"\\u0000"}') }, { custom: refused(NUL) }],
]

test.each(cases)('%s', async (_, value, stored, exceptions = {}) => {
  const base: Stored = { integer: NO_INTEGER, float: NO_FLOAT, ...stored }
  for (const [format, content] of listFiles(value)) {
    const expected = { ...base, ...exceptions[format] }
    const found: Stored = {}
    for (const target of Object.keys(expected) as Target[]) found[target] = await store(format, content, target)
    expect({ [format]: found }).toEqual({ [format]: expected })
  }
})
