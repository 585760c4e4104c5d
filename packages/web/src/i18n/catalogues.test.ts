/** Rules that every text of the UI must follow in every language. */
import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { LANGUAGES, type Language } from './i18n.ts'
import { formatMessage } from './message.ts'

const FILES = readdirSync(new URL('./en/', import.meta.url)).filter(name => name !== 'all.ts')

/** `file.key` -> text. */
async function readTexts(language: Language): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  for (const file of FILES) {
    const module: Record<string, Record<string, string>> = await import(`./${language}/${file.replace(/\.ts$/, '')}.ts`)
    for (const catalogue of Object.values(module))
      for (const [key, text] of Object.entries(catalogue)) texts.set(`${file}.${key}`, text)
  }
  return texts
}

/** Argument names: words after a brace, except for the text of a plural form. */
const argumentsOf = (text: string) => {
  const names = text.matchAll(/(?<!(?:=\d+|zero|one|two|few|many|other)\s*)\{(\w+)(?=[,}])/g)
  return [...new Set([...names].map(match => match[1] ?? ''))].sort()
}

const pluralsOf = (text: string) => [...text.matchAll(/\{(\w+), plural,/g)].map(match => match[1] ?? '')

describe.each(LANGUAGES)('the texts in %s', language => {
  test('are all there, with the arguments of the English ones', async () => {
    const english = await readTexts('en')
    const texts = await readTexts(language)
    expect([...texts.keys()].sort()).toEqual([...english.keys()].sort())
    const different = [...texts].filter(([key, text]) => `${argumentsOf(text)}` !== `${argumentsOf(english.get(key) ?? '')}`)
    expect(different).toEqual([])
  })

  test('read with any count, and leave no brace', async () => {
    const counts = [0, 1, 2, 21, 1_000_000]
    const broken = [...(await readTexts(language))].filter(([, text]) =>
      counts.some(count => {
        const values = Object.fromEntries(argumentsOf(text).map(name => [name, count]))
        const said = formatMessage(text, values, language)
        return said.trim() === '' || /[{}]/.test(said) || (pluralsOf(text).length > 0 && said.includes('#'))
      }),
    )
    expect(broken).toEqual([])
  })

  test('have no plural without the form for all other counts, nor one that the language does not have', async () => {
    const known = new Set([...new Intl.PluralRules(language).resolvedOptions().pluralCategories])
    const wrong = [...(await readTexts(language))].filter(([, text]) => {
      const forms = [...text.matchAll(/(?<=[\s}])(zero|one|two|few|many|other) \{/g)].map(match => match[1] ?? '')
      const others = forms.filter(form => form === 'other').length
      return others !== pluralsOf(text).length || forms.some(form => !known.has(form as Intl.LDMLPluralRule))
    })
    expect(wrong).toEqual([])
  })
})
