/** The keys of the focus view. Those of a question or a field are declared by its widget. */
import type { Ref } from 'vue'
import { useHits } from '../../fields/highlight.ts'
import { useCommands } from '../../shortcuts/commands.ts'
import { define } from '../../shortcuts/defaults.ts'
import type { Annotation } from './annotation.ts'
import type { DatasetBundle } from './dataset-bundle.ts'
import type { RecordQueue } from './record-queue.ts'

export interface Drawers {
  open(what: 'metadata' | 'comments' | 'history' | 'recent' | 'goto'): void
}

interface Parts {
  annotation: Annotation
  queue: RecordQueue
  bundle: Readonly<Ref<DatasetBundle>>
  isBulk: Readonly<Ref<boolean>>
  sheet: Readonly<Ref<HTMLElement | undefined>>
  drawers: Readonly<Ref<Drawers | undefined>>
  goTo(position: number): void
  focusForm(): void
}

const STEP = 0.8

export function useAnnotateCommands({ annotation, queue, bundle, isBulk, sheet, drawers, goTo, focusForm }: Parts): void {
  const hits = useHits()
  const when = () => !isBulk.value
  const scroll = (direction: 1 | -1) => sheet.value?.scrollBy({ top: direction * STEP * sheet.value.clientHeight })
  const turn = (step: 1 | -1) => {
    const { questions } = bundle.value
    const at = questions.findIndex(({ name }) => name === annotation.activeQuestion.value)
    const next = questions[at + step]
    if (!next) return false
    annotation.activeQuestion.value = next.name
    return true
  }
  const active = () => bundle.value.questions.find(({ name }) => name === annotation.activeQuestion.value)

  useCommands('form', () => [
    {
      id: 'form.nextQuestion',
      title: 'annotate.next_question',
      group: 'shell.group_move',
      keys: ['ArrowDown'],
      when,
      repeats: true,
      run: () => turn(1),
    },
    {
      id: 'form.previousQuestion',
      title: 'annotate.previous_question',
      group: 'shell.group_move',
      keys: ['ArrowUp'],
      when,
      repeats: true,
      run: () => turn(-1),
    },
    define(
      'annotate.clear',
      () => {
        const question = active()
        if (question) annotation.answer(question, null)
      },
      { when },
    ),
    define(
      'annotate.takeSuggestion',
      () => {
        const question = active()
        return question ? annotation.takeSuggestion(question) : false
      },
      { when },
    ),
  ])
  useCommands('page', () => [
    define('annotate.submit', () => annotation.act('submitted'), { when }),
    define('annotate.submitFromText', () => annotation.act('submitted'), { when }),
    define('annotate.draft', () => annotation.act('draft'), { when }),
    define('annotate.discard', () => annotation.act('discarded'), { when }),
    define('annotate.next', () => annotation.move(1), { when }),
    define('annotate.previous', () => annotation.move(-1), { when }),
    define('annotate.skip', () => annotation.skip(), { when }),
    define('annotate.undo', () => annotation.stack.undo()),
    define('annotate.redo', () => annotation.stack.redo()),
    define('annotate.first', () => goTo(0), { when }),
    define('annotate.last', () => goTo(Math.max(0, queue.total.value - 1)), { when }),
    define('annotate.goto', () => drawers.value?.open('goto'), { when }),
    define('annotate.recent', () => drawers.value?.open('recent')),
    define('annotate.metadata', () => drawers.value?.open('metadata'), { when }),
    define('annotate.comment', () => drawers.value?.open('comments'), { when }),
    define('annotate.nextHit', () => hits.next(), { when: () => hits.count.value > 0 }),
    define('annotate.previousHit', () => hits.previous(), { when: () => hits.count.value > 0 }),
    define('annotate.focusRecord', () => sheet.value?.focus(), { when }),
    define('annotate.focusForm', focusForm, { when }),
    define('annotate.scrollDown', () => scroll(1), { when }),
    define('annotate.scrollUp', () => scroll(-1), { when }),
    {
      id: 'annotate.scrollSpace',
      title: 'shell.cmd_scroll_down',
      group: 'shell.group_move',
      keys: ['Space'],
      when,
      inPalette: false,
      run: () => scroll(1),
    },
    define(
      'annotate.question',
      event => {
        const question = bundle.value.questions[Number(event?.code.at(-1)) - 1]
        if (!question) return false
        annotation.activeQuestion.value = question.name
        focusForm()
        return true
      },
      { when },
    ),
    {
      id: 'annotate.enterForm',
      title: 'annotate.enter_form',
      group: 'shell.group_move',
      keys: ['Tab'],
      inPalette: false,
      when: () => when() && isOutside(),
      run: focusForm,
    },
    {
      id: 'annotate.leaveForm',
      title: 'annotate.leave_form',
      group: 'shell.group_move',
      keys: ['Escape'],
      inPalette: false,
      when: () => when() && isAtWork(),
      run: () => sheet.value?.focus({ preventScroll: true }),
    },
  ])
}

/** The focus is nowhere in particular. */
const isOutside = () =>
  document.activeElement === null ||
  document.activeElement === document.body ||
  document.activeElement.matches('[data-pane=record]')
/** The focus is on an answer or a text, and no menu is open that Escape would close first. */
const isAtWork = () =>
  !isOutside() && document.activeElement?.closest('[data-pane]') != null && document.querySelector(':popover-open') === null
