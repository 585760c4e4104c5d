import { describe, expect, test } from 'vitest'
import { computed, effectScope } from 'vue'
import { type Command, findCommand, useCommands } from './commands.ts'

const command = (id: string, run: () => void = () => undefined): Command => ({
  id,
  title: 'annotate.submit',
  group: 'annotate.submit',
  keys: ['Enter'],
  run,
})
const register = (...commands: Command[]) => {
  const scope = effectScope()
  scope.run(() => useCommands('widget', () => commands))
  return () => scope.stop()
}

describe('a command found by its id', () => {
  test('is the one that was registered first, then the next', () => {
    const [first, second] = [command('one'), command('one')]
    const [stopFirst, stopSecond] = [register(first), register(second)]
    expect(findCommand('one')).toBe(first)
    stopFirst()
    expect(findCommand('one')).toBe(second)
    stopSecond()
    expect(findCommand('one')).toBeUndefined()
  })

  test('leaves what shows its keys alone when other commands come and go', () => {
    const stop = register(command('kept'))
    const keys = computed(() => findCommand('kept')?.keys[0] ?? '')
    let drawn = 0
    const chip = computed(() => {
      drawn++
      return keys.value
    })
    expect(chip.value).toBe('Enter')
    for (let i = 0; i < 3; i++) {
      const stopOther = register(command(`other ${i}`))
      expect(chip.value).toBe('Enter')
      stopOther()
    }
    expect(drawn).toBe(1)
    stop()
    expect(chip.value).toBe('')
  })
})
