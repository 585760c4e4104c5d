import { expect, test } from 'vitest'
import { signIn as german } from '../../i18n/de/sign-in.ts'
import { signIn as english } from '../../i18n/en/sign-in.ts'
import { signIn as spanish } from '../../i18n/es/sign-in.ts'
import { signIn as japanese } from '../../i18n/ja/sign-in.ts'
import { toPieces } from './definition.ts'

test('marked words come out with colour and name', () => {
  expect(toPieces('A [1|note|what] in the [2|margin|where].')).toEqual([
    { text: 'A ' },
    { text: 'note', colour: 1, name: 'what' },
    { text: ' in the ' },
    { text: 'margin', colour: 2, name: 'where' },
    { text: '.' },
  ])
})

test.each([english, german, spanish, japanese])('$definition marks the same three words', ({ definition }) => {
  const colours = toPieces(definition).flatMap(piece => ('colour' in piece ? [piece.colour] : []))
  expect(colours.toSorted()).toEqual([1, 2, 4])
})
