/**
 * The subset of ICU MessageFormat that we use: `{name}`, `{count}` as a localised number, and `{count, plural, =0 {none} one {#
 * record} other {# records}}`, with nesting. The plural forms are those of `Intl.PluralRules`; a form that the text does not
 * define falls back to `other`.
 */
import type { Language } from './i18n.ts'
import { formatNumber, pluralOf } from './numbers.ts'

export type MessageArguments = Record<string, string | number>

type Part = string | { name: string } | { name: string; forms: Map<string, Part[]> }

const parsed = new Map<string, Part[]>()

export function formatMessage(text: string, values: MessageArguments, language: Language): string {
  if (!text.includes('{')) return text
  const parts = parsed.get(text) ?? parse(text, { at: 0 }, false)
  parsed.set(text, parts)
  return render(parts, values, language, null)
}

function parse(text: string, cursor: { at: number }, isNested: boolean): Part[] {
  const parts: Part[] = []
  while (cursor.at < text.length) {
    const sign = text[cursor.at]
    if (sign === '}' && isNested) break
    if (sign === '{') parts.push(parseArgument(text, cursor))
    else {
      const rest = text.slice(cursor.at)
      const plain = (isNested ? /^[^{}]+/ : /^[^{]+/).exec(rest)?.[0] ?? rest
      parts.push(plain)
      cursor.at += plain.length
    }
  }
  return parts
}

function parseArgument(text: string, cursor: { at: number }): Part {
  const head = /^\{\s*(\w+)\s*(,\s*plural\s*,)?\s*/.exec(text.slice(cursor.at))
  if (head === null) throw new SyntaxError(`Message with a brace that opens no argument: ${text}`)
  cursor.at += head[0].length
  const name = head[1] ?? ''
  const forms = new Map<string, Part[]>()
  for (;;) {
    const form = /^(=\d+|\w+)\s*\{/.exec(text.slice(cursor.at))
    if (form === null) break
    cursor.at += form[0].length
    forms.set(form[1] ?? '', parse(text, cursor, true))
    cursor.at += /^\}\s*/.exec(text.slice(cursor.at))?.[0].length ?? 0
  }
  if (text[cursor.at] !== '}') throw new SyntaxError(`Message with a brace that is not closed: ${text}`)
  cursor.at++
  return head[2] === undefined ? { name } : { name, forms }
}

function render(parts: Part[], values: MessageArguments, language: Language, count: number | null): string {
  return parts
    .map(part => {
      if (typeof part === 'string') return count === null ? part : part.replaceAll('#', formatNumber(count, language))
      const value = values[part.name]
      if (value === undefined) return `{${part.name}}`
      if ('forms' in part) return renderPlural(part.forms, Number(value), values, language)
      return typeof value === 'number' ? formatNumber(value, language) : value
    })
    .join('')
}

function renderPlural(forms: Map<string, Part[]>, count: number, values: MessageArguments, language: Language): string {
  const form = forms.get(pluralOf(count, language))
  return render(forms.get(`=${count}`) ?? form ?? forms.get('other') ?? [], values, language, count)
}
