/** Keyboard commands of the bulk view. */

import type { DatasetBundle } from '../../../datasets/dataset-bundle.ts'
import { type Command, useCommands } from '../../../shortcuts/commands.ts'
import { define } from '../../../shortcuts/defaults.ts'
import type { Annotation } from '../form/annotation.ts'
import type { Bulk } from './bulk.ts'

interface Parts {
  bulk: Bulk
  bundle: () => DatasetBundle
  annotation: Annotation
  focusForm(): void
}

/** A focused check box handles the key itself. */
const isBox = (event: KeyboardEvent | null) => event?.target instanceof HTMLInputElement
const isInForm = (event: KeyboardEvent | null) =>
  event?.target instanceof Element && event.target.closest('[data-pane=form]') !== null

export function useBulkCommands(parts: Parts): void {
  useCommands('form', () => formCommands(parts))
  useCommands('page', () => [...sendCommands(parts.bulk), ...placeCommands(parts), ...tickCommands(parts.bulk)])
}

function questionsOf({ bundle, annotation: { activeQuestion } }: Parts) {
  const at = () => bundle().questions.findIndex(({ name }) => name === activeQuestion.value)
  return {
    at,
    active: () => bundle().questions[at()],
    turn(index: number): boolean {
      const question = bundle().questions[index]
      if (question) activeQuestion.value = question.name
      return question !== undefined
    },
  }
}

function formCommands(parts: Parts): Command[] {
  const { at, active, turn } = questionsOf(parts)
  const clear = () => {
    const question = active()
    if (question) parts.bulk.form.answer(question, null)
  }
  const step = (by: 1 | -1) => (event: KeyboardEvent | null) => isInForm(event) && turn(at() + by)
  return [
    define('form.nextQuestion', step(1), { inPalette: false }),
    define('form.previousQuestion', step(-1), { inPalette: false }),
    define('annotate.clear', clear),
  ]
}

const sendCommands = ({ send }: Bulk): Command[] => [
  define('annotate.submit', () => send('submitted')),
  define('annotate.submitFromText', () => send('submitted')),
  define('annotate.draft', () => send('draft')),
  define('annotate.discard', () => send('discarded')),
]

function placeCommands(parts: Parts): Command[] {
  const { bulk, focusForm } = parts
  const { ticks } = bulk
  const turnTo = (event: KeyboardEvent | null) => {
    const isThere = questionsOf(parts).turn(Number(event?.code.at(-1)) - 1)
    if (isThere) focusForm()
    return isThere
  }
  return [
    define('annotate.next', () => bulk.turnPage(1), { title: 'bulk.next_page' }),
    define('annotate.previous', () => bulk.turnPage(-1), { title: 'bulk.previous_page' }),
    define('annotate.focusForm', focusForm),
    define('annotate.focusRecord', () => ticks.current.value !== null && ticks.focus(ticks.current.value)),
    define('annotate.question', turnTo),
    define('bulk.nextCard', () => ticks.move(1)),
    define('bulk.previousCard', () => ticks.move(-1)),
  ]
}

const tickCommands = ({ ticks }: Bulk): Command[] => [
  define('bulk.tick', event => !isBox(event) && ticks.tickCurrent()),
  define('bulk.range', () => ticks.extend(1)),
  define('bulk.rangeUp', () => ticks.extend(-1)),
  define('bulk.all', () => ticks.all()),
  define('bulk.none', () => ticks.count.value > 0 && ticks.clear()),
]
