import { language, t } from '../../i18n/i18n.ts'
import { keysOf } from '../../shortcuts/chords.ts'
import { type CommandId, keysNow } from '../../shortcuts/defaults.ts'

/** First current key of each command. */
const named = (...ids: CommandId[]) =>
  ids
    .flatMap(id =>
      keysNow(id)
        .slice(0, 1)
        .map(chord => keysOf(chord, language.value).join(' ')),
    )
    .join(', ')

/** Explains how to mark text with the keyboard, with the user's current keys. */
export const textHelp = (): string =>
  t('span.text_help', {
    move: named('span.move.word.left', 'span.move.word.right'),
    extend: named('span.extend.word.left', 'span.extend.word.right'),
    characters: named('span.move.character.left', 'span.move.character.right'),
    pick: named('question.pick'),
    jump: named('span.previous', 'span.next'),
    remove: named('span.remove'),
    open: named('span.open'),
  })
