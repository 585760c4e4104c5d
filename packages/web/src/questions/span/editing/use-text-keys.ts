/** Keys of a focused text with spans. */
import { type Command, useCommands } from '../../../shortcuts/commands.ts'
import { type CommandId, define } from '../../../shortcuts/defaults.ts'
import { useDigits } from '../../use-digits.ts'

interface TextKeys {
  hasFocus(): boolean
  canMark(): boolean
  labels(): readonly string[]
  letters(): Readonly<Record<string, string>>
  hasOffer(): boolean
  pick(label: string): void
  /** Visual direction, independent of the text direction. */
  move(side: 'left' | 'right', how: { isExtending: boolean; isCharacter: boolean }): void
  jump(step: 1 | -1): void
  /** These four return false when there is nothing to do here. */
  remove(): boolean
  open(): boolean
  leave(): boolean
  takeOffer(): void
}

const moves = (keys: TextKeys): Command[] =>
  (['left', 'right'] as const).flatMap(side =>
    [false, true].flatMap(isCharacter =>
      [false, true].map(isExtending => {
        const id: CommandId = `span.${isExtending ? 'extend' : 'move'}.${isCharacter ? 'character' : 'word'}.${side}`
        return define(id, () => keys.move(side, { isExtending, isCharacter }), { when: keys.hasFocus })
      }),
    ),
  )

export function useTextKeys(keys: TextKeys): void {
  const canMark = () => keys.hasFocus() && keys.canMark()
  const labelOf = (letter: string) =>
    Object.entries(keys.letters()).find(([, other]) => other.toLowerCase() === letter.toLowerCase())?.[0]

  function onLetter(event: KeyboardEvent | null): boolean {
    const label = event ? labelOf(event.key) : undefined
    if (label !== undefined) keys.pick(label)
    return label !== undefined
  }

  useDigits({
    title: 'span.cmd_label',
    isOn: canMark,
    numbers: () => keys.labels().map((_, index) => index + 1),
    take: number => {
      const label = keys.labels()[number - 1]
      if (label !== undefined) keys.pick(label)
    },
    keepsFirst: true,
  })
  const when = keys.hasFocus
  useCommands('widget', () => [
    // Letters of labels take precedence over those of commands.
    define('span.letter', onLetter, { when: () => canMark() && Object.keys(keys.letters()).length > 0 }),
    define('span.all', keys.takeOffer, { when: () => canMark() && keys.hasOffer() }),
    ...moves(keys),
    define('span.previous', () => keys.jump(-1), { when }),
    define('span.next', () => keys.jump(1), { when }),
    define('span.remove', keys.remove, { when: canMark }),
    define('span.open', keys.open, { when: canMark }),
    define('span.leave', keys.leave, { when }),
  ])
}
