/** Keyboard commands of the focus view. The widgets of questions and fields declare their own. */
import type { Ref } from 'vue'
import type { DatasetBundle } from '../../datasets/dataset-bundle.ts'
import { useHits } from '../../fields/highlight.ts'
import { useCommands } from '../../shortcuts/commands.ts'
import { define } from '../../shortcuts/defaults.ts'
import { notesOf } from './drawers/notes.ts'
import type { Annotation } from './form/annotation.ts'
import type { RecordQueue } from './queue/record-queue.ts'
import { useFieldLayout } from './record/field-layout.ts'

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
/** Focusable parts of a record: annotatable texts, chat messages, images, and scrollable fields without a focusable child. */
const PARTS = [
  '.field-body:is([tabindex="0"], :has([tabindex="0"]))',
  '.record-field[tabindex="0"]:not(:has(.field-body[tabindex="0"], .field-body [tabindex="0"]))',
]
  .map(part => `article:not([hidden]) ${part}`)
  .join()

export function useAnnotateCommands(parts: Parts): void {
  useFormCommands(parts)
  useActCommands(parts)
  useMoveCommands(parts)
  usePaneCommands(parts)
}

/** Commands that move between questions and change the current one. */
function useFormCommands({ annotation, bundle, isBulk }: Parts): void {
  const when = () => !isBulk.value
  const active = () => bundle.value.questions.find(({ name }) => name === annotation.activeQuestion.value)
  function turn(step: 1 | -1): boolean {
    const { questions } = bundle.value
    const next = questions[questions.findIndex(({ name }) => name === annotation.activeQuestion.value) + step]
    if (next) annotation.activeQuestion.value = next.name
    return next !== undefined
  }
  function clear(): void {
    const question = active()
    if (question) annotation.answer(question, null)
  }
  function take(): boolean {
    const question = active()
    return question !== undefined && annotation.takeSuggestion(question)
  }
  useCommands('form', () => [
    define('form.nextQuestion', () => turn(1), { when }),
    define('form.previousQuestion', () => turn(-1), { when }),
    define('annotate.clear', clear, { when }),
    define('annotate.takeSuggestion', take, { when }),
  ])
}

/** Commands for the current record. */
function useActCommands({ annotation, queue, isBulk, drawers, focusForm }: Parts): void {
  const when = () => !isBulk.value
  /** Takes the key in any case: the browser would press an option that gets the focus because an answer is missing. */
  function submit(): void {
    if (!annotation.act('submitted') && annotation.shownGaps.value.length > 0) focusForm()
  }
  function flag(): void {
    const item = queue.current.value
    if (item) void notesOf(annotation.session).toggleFlag(item.record.id)
  }
  useCommands('page', () => [
    define('annotate.submit', submit, { when }),
    define('annotate.submitFromText', submit, { when }),
    define('annotate.draft', () => void annotation.act('draft'), { when }),
    define('annotate.discard', () => void annotation.act('discarded'), { when }),
    define('annotate.skip', () => annotation.skip(), { when }),
    define('annotate.undo', () => annotation.stack.undo()),
    define('annotate.redo', () => annotation.stack.redo()),
    define('annotate.flag', flag, { when }),
    define('annotate.comment', () => drawers.value?.open('comments'), { when }),
    define('annotate.metadata', () => drawers.value?.open('metadata'), { when }),
    define('annotate.recent', () => drawers.value?.open('recent')),
  ])
}

/** Commands that move between records. */
function useMoveCommands({ annotation, queue, isBulk, drawers, goTo }: Parts): void {
  const hits = useHits()
  const when = () => !isBulk.value
  const hasHits = () => hits.count.value > 0
  useCommands('page', () => [
    define('annotate.next', () => annotation.move(1), { when }),
    define('annotate.previous', () => annotation.move(-1), { when }),
    define('annotate.first', () => goTo(0), { when }),
    define('annotate.last', () => goTo(Math.max(0, queue.total.value - 1)), { when }),
    define('annotate.goto', () => drawers.value?.open('goto'), { when }),
    define('annotate.nextHit', () => hits.next(), { when: hasHits }),
    define('annotate.previousHit', () => hits.previous(), { when: hasHits }),
  ])
}

/** Commands that move between the record and the form. */
function usePaneCommands({ annotation, bundle, isBulk, sheet, focusForm }: Parts): void {
  const when = () => !isBulk.value
  const layout = useFieldLayout(() => bundle.value)
  /** Returns the element to scroll: the focused field of a side-by-side layout, the fields above it, or the whole record. */
  const scroller = () => {
    const parts = [
      document.activeElement?.closest('.side .record-field'),
      sheet.value?.querySelector('article:not([hidden]) > .context'),
    ]
    return parts.find(part => part != null && part.scrollHeight > part.clientHeight) ?? sheet.value
  }
  const scroll = (direction: 1 | -1) => {
    const element = scroller()
    element?.scrollBy({ top: direction * STEP * element.clientHeight })
  }
  function jump(event: KeyboardEvent | null): boolean {
    const question = bundle.value.questions[Number(event?.code.at(-1)) - 1]
    if (!question) return false
    annotation.activeQuestion.value = question.name
    focusForm()
    return true
  }
  const leave = () => sheet.value?.focus({ preventScroll: true })
  /** Focuses the next part of the record that has its own keys; after the last one, the record as a whole. */
  function focusRecord(): void {
    const parts = Array.from(sheet.value?.querySelectorAll<HTMLElement>(PARTS) ?? [])
    const at = parts.findIndex(part => part.contains(document.activeElement))
    const next = parts[at + 1]
    const target = next?.matches('[tabindex="0"]') ? next : next?.querySelector<HTMLElement>('[tabindex="0"]')
    ;(target ?? sheet.value)?.focus()
  }
  useCommands('page', () => [
    define('annotate.focusRecord', focusRecord, { when }),
    define('annotate.focusForm', focusForm, { when }),
    define('annotate.scrollDown', () => scroll(1), { when }),
    define('annotate.scrollUp', () => scroll(-1), { when }),
    define('annotate.question', jump, { when }),
    define('annotate.sideBySide', layout.toggle, {
      when: () => when() && layout.canCompare.value,
      title: layout.isSideBySide.value ? 'annotate.fields_stacked' : 'annotate.fields_side_by_side',
    }),
    define('annotate.enterForm', focusForm, { when: () => when() && isOutside() }),
    define('annotate.leaveForm', leave, { when: () => when() && isAtWork() }),
  ])
}

/** True if the focus is on the page or the record as a whole. */
const isOutside = () =>
  document.activeElement === null ||
  document.activeElement === document.body ||
  document.activeElement.matches('[data-pane=record]')
/** True if the focus is inside the record or the form and no popover is open, which Escape would close first. */
const isAtWork = () =>
  !isOutside() && document.activeElement?.closest('[data-pane]') != null && document.querySelector(':popover-open') === null
