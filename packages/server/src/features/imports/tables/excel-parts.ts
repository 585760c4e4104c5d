/** Reads the workbook, its styles and its shared strings. */
import type { ExcelPackage, XmlEvents } from './excel-package.ts'
import { type DateKind, withCharacters } from './excel-sheet.ts'
import { refuse } from './table.ts'

/** Limit of parts other than sheets and shared strings. */
const PART_BYTES_MAX = 16 * 1024 * 1024
/** Limit of characters of all shared strings, which are in memory while the file is read. */
const TEXTS_LENGTH_MAX = 64 * 1024 * 1024
/** Limit of shared strings and their formatted parts, each of which takes memory even if it is empty. */
const TEXTS_MAX = 10_000_000

const IGNORE: XmlEvents = { open: () => {}, text: () => {}, close: () => {} }

async function parseAll(excel: ExcelPackage, part: string, events: Partial<XmlEvents>, bytesMax = PART_BYTES_MAX): Promise<void> {
  const pieces = excel.parse(part, { ...IGNORE, ...events }, bytesMax)
  while (!(await pieces.next()).done);
}

export interface Workbook {
  /** In workbook order. */
  sheets: { name: string; part: string }[]
  /** True if dates are counted from 1904. */
  is1904: boolean
}

export async function readWorkbook(excel: ExcelPackage): Promise<Workbook> {
  const targets = new Map<string, string>()
  await parseAll(excel, 'xl/_rels/workbook.xml.rels', {
    open: ({ name, attributes }) => {
      if (name === 'Relationship') targets.set(attributes.Id ?? '', attributes.Target ?? '')
    },
  })
  const workbook: Workbook = { sheets: [], is1904: false }
  await parseAll(excel, 'xl/workbook.xml', {
    open: ({ name, attributes }) => {
      if (name === 'workbookPr') workbook.is1904 = /^(1|true)$/.test(attributes.date1904 ?? '')
      const target = name === 'sheet' ? targets.get(attributes['r:id'] ?? attributes.id ?? '') : undefined
      if (target !== undefined) workbook.sheets.push({ name: attributes.name ?? '', part: toPart(target) })
    },
  })
  // Excludes chart sheets, which have no rows.
  workbook.sheets = workbook.sheets.filter(({ part }) => excel.has(part) && /worksheets\//.test(part))
  if (workbook.sheets.length === 0) throw refuse('The file has no sheets')
  return workbook
}

const toPart = (target: string) => (target.startsWith('/') ? target.slice(1) : `xl/${target}`)

/** Returns the shared strings; cells refer to them by index. */
export async function readTexts(excel: ExcelPackage, bytesMax: number): Promise<string[]> {
  const part = 'xl/sharedStrings.xml'
  if (!excel.has(part)) return []
  const texts: string[] = []
  let [text, isText, isPhonetic, length, count] = ['', false, false, 0, 0]
  const add = (characters: number) => {
    length += characters
    count++
    if (length > TEXTS_LENGTH_MAX)
      throw refuse(`The texts of the file have more than ${TEXTS_LENGTH_MAX / 1024 ** 2} million characters. Save it as CSV`)
    if (count > TEXTS_MAX) throw refuse(`The file has more than ${TEXTS_MAX / 2e6} million texts. Save it as CSV`)
  }
  const events = {
    open: ({ name }: { name: string }) => {
      if (name === 'si') text = ''
      if (name === 'rPh') isPhonetic = true
      isText = name === 't'
    },
    text: (some: string) => {
      if (!isText || isPhonetic) return
      add(some.length)
      text += some
    },
    close: (name: string) => {
      if (name === 't') isText = false
      if (name === 'rPh') isPhonetic = false
      if (name !== 'si') return
      add(0)
      texts.push(withCharacters(text))
    },
  }
  await parseAll(excel, part, events, bytesMax)
  return texts
}

const BUILT_IN: readonly (readonly [first: number, last: number, kind: DateKind])[] = [
  [14, 17, 'date'],
  [18, 21, 'time'],
  [22, 22, 'date'],
  [27, 31, 'date'],
  [32, 33, 'time'],
  [34, 36, 'date'],
  [45, 45, 'time'],
  [46, 46, 'duration'],
  [47, 47, 'time'],
  [50, 58, 'date'],
]

/** Returns for each style index how its numbers are shown as dates; null if they are not. */
export async function readDateStyles(excel: ExcelPackage): Promise<(DateKind | null)[]> {
  const part = 'xl/styles.xml'
  if (!excel.has(part)) return []
  const custom = new Map<number, DateKind | null>()
  const styles: (DateKind | null)[] = []
  let isCell = false
  await parseAll(excel, part, {
    open: ({ name, attributes }) => {
      if (name === 'numFmt') custom.set(Number(attributes.numFmtId), toDateKind(attributes.formatCode ?? ''))
      if (name === 'cellXfs') isCell = true
      if (name !== 'xf' || !isCell) return
      const id = Number(attributes.numFmtId ?? 0)
      const builtIn = BUILT_IN.find(([first, last]) => id >= first && id <= last)?.[2] ?? null
      styles.push(custom.has(id) ? (custom.get(id) ?? null) : builtIn)
    },
    close: name => {
      if (name === 'cellXfs') isCell = false
    },
  })
  return styles
}

/** Looks for date and time letters outside of quoted text, colors and conditions. Linear even for many brackets. */
function toDateKind(code: string): DateKind | null {
  const plain = code.replace(/"[^"]*"|\\.|_.|\*./g, '')
  if (/\[(h+|m+|s+)\]/i.test(plain)) return 'duration'
  const letters = plain.replace(/\[[^[\]]*\]/g, '')
  if (!/[ymdhs]/i.test(letters)) return null
  return /[hs]/i.test(letters) && !/[yd]/i.test(letters) ? 'time' : 'date'
}
