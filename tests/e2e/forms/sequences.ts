/** Random sequences of keys, drawn so that each key means something where it is pressed. */
import type { Draw } from '../../agreement/draw.ts'
import type { Outcome } from './answers-model.ts'
import { type Hand, KeysModel } from './keys-model.ts'
import type { FormPlan } from './plans.ts'

const KEYS = [
  ...['0', '1', '2', '3', '4', '1', '2', '3'],
  ...['Tab', 'Tab', 'Space', 'ArrowDown', 'ArrowDown', 'ArrowUp', 'Shift+1', 'Shift+2', 'Shift+3'],
  ...['u', 'u', 'Alt+Backspace', 'Delete', 'Alt+ArrowUp', 'Alt+ArrowDown', 'Control+z', 'Control+y'],
  ...['q', 'r', 'r', 'Escape', 'Shift+Enter', 'Shift+Enter', 'a', 'b', ' ', 'a', 'Backspace'],
  ...['ArrowRight', 'ArrowRight', 'ArrowLeft', 'Shift+ArrowRight', 'Shift+ArrowLeft'],
  ...['Enter', 'Control+Enter'],
]
const LENGTH_MAX = 16
/** Whatever has the focus, the page has it then: an editor, its box, a selection and a label in the text. */
export const OUT = ['Escape', 'Escape', 'Escape', 'Escape']

export function drawKeys(draw: Draw, plan: FormPlan, at: number, hand: Hand): string[] {
  const model = new KeysModel(plan, at, { ...hand })
  const keys: string[] = []
  for (let left = 1 + draw.below(LENGTH_MAX); left > 0; left--) {
    const key = draw.pick(KEYS.filter(one => model.offers(one)))
    model.press(key)
    keys.push(key)
    if (model.answers.outcome !== null) return keys
  }
  return [...keys, ...draw.pick([[...OUT, 'Enter'], [...OUT, 'Enter'], [...OUT, 'x'], ['Control+s'], []])]
}

/** What the person has chosen by these keys. Keys that mean nothing where they are pressed are left out. */
export function follow(plan: FormPlan, at: number, hand: Hand, keys: readonly string[]) {
  const model = new KeysModel(plan, at, hand)
  const pressed: string[] = []
  const press = (key: string) => {
    model.press(key)
    pressed.push(key)
  }
  for (const key of keys) if (model.offers(key)) press(key)
  const outcome: Outcome = model.answers.outcome ?? 'left'
  model.answers.outcome = outcome
  // Drafts stay on the screen.
  if (outcome === 'left' || outcome === 'draft') {
    for (const key of OUT) press(key)
    pressed.push('ArrowRight')
  }
  return { answers: model.answers, pressed, outcome }
}
