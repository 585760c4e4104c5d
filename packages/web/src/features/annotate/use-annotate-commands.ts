/** The keys of the focus view. Those of a question or a field are declared by its widget. */
import type { Ref } from 'vue'
import type { DatasetBundle } from '../../datasets/dataset-bundle.ts'
import { useHits } from '../../fields/highlight.ts'
import { useCommands } from '../../shortcuts/commands.ts'
import { define } from '../../shortcuts/defaults.ts'
import type { Annotation } from './annotation.ts'
import { notesOf } from './notes.ts'
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
/** Texts to mark, turns of a chat, images. */
const PARTS = 'article:not([hidden]) .f-b:is([tabindex="0"], :has([tabindex="0"]))'

export function useAnnotateCommands(parts: Parts): void {
  useFormCommands(parts)
  useActCommands(parts)
  useMoveCommands(parts)
  usePaneCommands(parts)
}

/** Between questions, and what is done to the one in hand. */
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

/** What is done to the record in hand. */
function useActCommands({ annotation, queue, isBulk, drawers }: Parts): void {
  const when = () => !isBulk.value
  function flag(): void {
    const item = queue.current.value
    if (item) void notesOf(annotation.session).toggleFlag(item.record.id)
  }
  useCommands('page', () => [
    define('annotate.submit', () => annotation.act('submitted'), { when }),
    define('annotate.submitFromText', () => annotation.act('submitted'), { when }),
    define('annotate.draft', () => annotation.act('draft'), { when }),
    define('annotate.discard', () => annotation.act('discarded'), { when }),
    define('annotate.skip', () => annotation.skip(), { when }),
    define('annotate.undo', () => annotation.stack.undo()),
    define('annotate.redo', () => annotation.stack.redo()),
    define('annotate.flag', flag, { when }),
    define('annotate.comment', () => drawers.value?.open('comments'), { when }),
    define('annotate.metadata', () => drawers.value?.open('metadata'), { when }),
    define('annotate.recent', () => drawers.value?.open('recent')),
  ])
}

/** From record to record. */
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

/** Between the record and the form. */
function usePaneCommands({ annotation, bundle, isBulk, sheet, focusForm }: Parts): void {
  const when = () => !isBulk.value
  const scroll = (direction: 1 | -1) => sheet.value?.scrollBy({ top: direction * STEP * sheet.value.clientHeight })
  function jump(event: KeyboardEvent | null): boolean {
    const question = bundle.value.questions[Number(event?.code.at(-1)) - 1]
    if (!question) return false
    annotation.activeQuestion.value = question.name
    focusForm()
    return true
  }
  const leave = () => sheet.value?.focus({ preventScroll: true })
  /** To the first part of the record that has keys of its own, then to the next; after the last, to the record as a whole. */
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
    define('annotate.enterForm', focusForm, { when: () => when() && isOutside() }),
    define('annotate.leaveForm', leave, { when: () => when() && isAtWork() }),
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
