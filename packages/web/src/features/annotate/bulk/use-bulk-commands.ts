/** The keys of the bulk view. */
import { useCommands } from '../../../shortcuts/commands.ts'
import { define } from '../../../shortcuts/defaults.ts'
import type { Annotation } from '../annotation.ts'
import type { DatasetBundle } from '../dataset-bundle.ts'
import type { Bulk } from './bulk.ts'

interface Parts {
  bulk: Bulk
  bundle: () => DatasetBundle
  annotation: Annotation
  focusForm(): void
}

/** The box of a card ticks itself. */
const isBox = (event: KeyboardEvent | null) => event?.target instanceof HTMLInputElement

export function useBulkCommands({ bulk, bundle, annotation, focusForm }: Parts): void {
  const { ticks, form, send } = bulk
  const { activeQuestion } = annotation
  const at = () => bundle().questions.findIndex(({ name }) => name === activeQuestion.value)
  const turn = (index: number) => {
    const question = bundle().questions[index]
    if (question) activeQuestion.value = question.name
    return question !== undefined
  }
  const isInForm = (event: KeyboardEvent | null) =>
    event?.target instanceof Element && event.target.closest('[data-pane=form]') !== null
  const clearQuestion = () => {
    const question = bundle().questions[at()]
    if (question) form.answer(question, null)
  }

  useCommands('form', () => [
    {
      id: 'form.nextQuestion',
      title: 'annotate.next_question',
      group: 'shell.group_move',
      keys: ['ArrowDown'],
      repeats: true,
      run: event => isInForm(event) && turn(at() + 1),
    },
    {
      id: 'form.previousQuestion',
      title: 'annotate.previous_question',
      group: 'shell.group_move',
      keys: ['ArrowUp'],
      repeats: true,
      run: event => isInForm(event) && turn(at() - 1),
    },
    define('annotate.clear', clearQuestion),
  ])
  useCommands('page', () => [
    define('annotate.submit', () => send('submitted')),
    define('annotate.submitFromText', () => send('submitted')),
    define('annotate.draft', () => send('draft')),
    define('annotate.discard', () => send('discarded')),
    define('annotate.next', () => bulk.turnPage(1), { title: 'bulk.next_page' }),
    define('annotate.previous', () => bulk.turnPage(-1), { title: 'bulk.previous_page' }),
    define('annotate.focusForm', focusForm),
    define('annotate.focusRecord', () => ticks.current.value !== null && ticks.focus(ticks.current.value)),
    define('annotate.question', event => {
      const isThere = turn(Number(event?.code.at(-1)) - 1)
      if (isThere) focusForm()
      return isThere
    }),
    define('bulk.nextCard', () => ticks.move(1)),
    define('bulk.previousCard', () => ticks.move(-1)),
    define('bulk.tick', event => !isBox(event) && ticks.tickCurrent()),
    define('bulk.range', () => ticks.extend(1)),
    {
      id: 'bulk.rangeUp',
      title: 'bulk.range_up',
      group: 'shell.group_bulk',
      keys: ['Shift+ArrowUp'],
      repeats: true,
      inPalette: false,
      run: () => ticks.extend(-1),
    },
    define('bulk.all', () => ticks.all()),
    define('bulk.none', () => ticks.count.value > 0 && ticks.clear()),
    {
      id: 'bulk.cardDown',
      title: 'shell.cmd_next_card',
      group: 'shell.group_bulk',
      keys: ['ArrowDown'],
      repeats: true,
      inPalette: false,
      run: () => ticks.move(1),
    },
    {
      id: 'bulk.cardUp',
      title: 'shell.cmd_previous_card',
      group: 'shell.group_bulk',
      keys: ['ArrowUp'],
      repeats: true,
      inPalette: false,
      run: () => ticks.move(-1),
    },
  ])
}
