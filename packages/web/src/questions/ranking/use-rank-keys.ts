/** Keys of the focused ranking item. */
import { useCommands } from '../../shortcuts/commands.ts'
import { define } from '../../shortcuts/defaults.ts'

interface RankKeys {
  isOn(): boolean
  focusedKey(event: KeyboardEvent | null): string | null
  step(value: string, by: 1 | -1): void
  unrank(value: string): void
}

export function useRankKeys({ isOn, focusedKey, step, unrank }: RankKeys): void {
  const onItem = (act: (value: string) => void) => (event: KeyboardEvent | null) => {
    const value = focusedKey(event)
    if (value === null) return false
    act(value)
    return true
  }
  const when = isOn
  useCommands('widget', () => [
    define(
      'question.rankUp',
      onItem(value => step(value, -1)),
      { when },
    ),
    define(
      'question.rankDown',
      onItem(value => step(value, 1)),
      { when },
    ),
    define('question.unrank', onItem(unrank), { when }),
  ])
}
