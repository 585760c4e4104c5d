/** The keys of a text with spans, while it has the focus. */
import type { MessageKey } from '../../i18n/i18n.ts'
import { type Command, useCommands } from '../../shortcuts/commands.ts'
import { useDigits } from '../use-digits.ts'

interface TextKeys {
  hasFocus(): boolean
  canMark(): boolean
  labels(): readonly string[]
  letters(): Readonly<Record<string, string>>
  hasOffer(): boolean
  pick(label: string): void
  /** To the left or the right, as the eye sees it. */
  move(side: 'left' | 'right', how: { isExtending: boolean; isCharacter: boolean }): void
  jump(step: 1 | -1): void
  /** These four return false when there is nothing to do here. */
  remove(): boolean
  open(): boolean
  leave(): boolean
  takeOffer(): void
}

const group = 'span.group'
const here = { group, inPalette: false } as const

const moves = (keys: TextKeys): Command[] =>
  (['left', 'right'] as const).flatMap(side =>
    [false, true].flatMap(isCharacter =>
      [false, true].map((isExtending): Command => {
        const what = isCharacter ? 'character' : 'word'
        const how = isExtending ? 'extend' : 'move'
        const title: MessageKey = `span.cmd_${how}_${what}_${side}`
        const chord = `${isCharacter ? 'Alt+' : ''}${isExtending ? 'Shift+' : ''}${side === 'left' ? 'ArrowLeft' : 'ArrowRight'}`
        const run = () => keys.move(side, { isExtending, isCharacter })
        return { ...here, id: `span.${how}.${what}.${side}`, title, keys: [chord], repeats: true, when: keys.hasFocus, run }
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
  useCommands('widget', (): Command[] => [
    // Letters of labels come before those of commands.
    {
      ...here,
      id: 'span.letter',
      title: 'span.cmd_letter',
      keys: ['a-z'],
      when: () => canMark() && Object.keys(keys.letters()).length > 0,
      run: onLetter,
    },
    {
      ...here,
      id: 'span.all',
      title: 'span.cmd_all',
      keys: ['a'],
      when: () => canMark() && keys.hasOffer(),
      run: keys.takeOffer,
    },
    ...moves(keys),
    {
      ...here,
      id: 'span.previous',
      title: 'span.cmd_previous',
      keys: ['['],
      repeats: true,
      when: keys.hasFocus,
      run: () => keys.jump(-1),
    },
    {
      ...here,
      id: 'span.next',
      title: 'span.cmd_next',
      keys: [']'],
      repeats: true,
      when: keys.hasFocus,
      run: () => keys.jump(1),
    },
    { ...here, id: 'span.remove', title: 'span.cmd_remove', keys: ['Delete'], when: canMark, run: keys.remove },
    { ...here, id: 'span.open', title: 'span.cmd_open', keys: ['Enter'], when: canMark, run: keys.open },
    { ...here, id: 'span.leave', title: 'span.cmd_leave', keys: ['Escape'], when: keys.hasFocus, run: keys.leave },
  ])
}
