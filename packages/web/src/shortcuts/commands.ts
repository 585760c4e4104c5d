/**
 * Everything a person can do by key or palette, registered by the part that does it while that part is on screen. The same
 * list handles the keys, fills the sheet and the palette, so that none of them can lie about the others.
 */
import { type ComputedRef, computed, onScopeDispose, shallowReactive } from 'vue'
import type { MessageKey } from '../i18n/i18n.ts'
import type { MessageArguments } from '../i18n/message.ts'
import { preferences } from '../preferences.ts'
import { chordOf, isSingleLetter, matches } from './chords.ts'

export interface Command {
  /** Unique among what is on screen; bindings are kept under it: `annotate.submit`. */
  id: string
  title: MessageKey
  titleValues?: MessageArguments
  /** Heading in the sheet. */
  group: MessageKey
  /** Default chords, see chords.ts; none: palette only. */
  keys: readonly string[]
  /** Return false when it was not meant after all: the next command with that key gets it. */
  run(event: KeyboardEvent | null): unknown
  when?: () => boolean
  /** Also while a text input has the focus. */
  inText?: boolean
  /** Also when the key is held down. */
  repeats?: boolean
  /** False: keys that make no sense without the place they are pressed at. */
  inPalette?: boolean
}

/** From the innermost: the widget in hand, the form, the page, the shell. An open dialog hides all others. */
const LAYERS = ['dialog', 'widget', 'form', 'page', 'shell'] as const
export type Layer = (typeof LAYERS)[number]

const registered = shallowReactive(new Map<symbol, { layer: Layer; commands: ComputedRef<Command[]> }>())

/** Registers commands while the calling component lives. */
export function useCommands(layer: Layer, commands: () => Command[]): void {
  const token = Symbol(layer)
  registered.set(token, { layer, commands: computed(commands) })
  onScopeDispose(() => registered.delete(token))
}

export const bindingsOf = (command: Pick<Command, 'id' | 'keys'>): readonly string[] =>
  preferences.bindings[command.id] ?? command.keys

/** A command of what is on screen, also one that an open dialog hides: its keys stay where they are shown. */
export const findCommand = (id: string): Command | undefined =>
  [...registered.values()].flatMap(({ commands }) => commands.value).find(command => command.id === id)

/** What can be done now, innermost first. */
export function activeCommands(): Command[] {
  const entries = [...registered.values()]
  const isModal = entries.some(({ layer }) => layer === 'dialog')
  return LAYERS.filter(layer => !isModal || layer === 'dialog').flatMap(layer =>
    // What was opened last lies on top.
    entries
      .filter(entry => entry.layer === layer)
      .reverse()
      .flatMap(({ commands }) => commands.value.filter(({ when }) => when?.() ?? true)),
  )
}

const TEXT_INPUT =
  'textarea, select, [contenteditable=""], [contenteditable="true"], input:not([type=checkbox], [type=radio], [type=range], [type=button])'
/** What Enter or Space activates by itself; options of questions are left out, there Enter submits. */
const ACTIVATED = 'button, a[href], summary, [role=button], [role=menuitem], [role=tab], [role=link]'

export const isTextInput = (target: EventTarget | null) => target instanceof Element && target.closest(TEXT_INPUT) !== null

function mayRun(command: Command, binding: string, event: KeyboardEvent): boolean {
  if (event.repeat && !command.repeats) return false
  if (isTextInput(event.target) && !command.inText) return false
  return preferences.singleLetterKeys || !isSingleLetter(binding)
}

function isActivation(chord: string, target: EventTarget | null): boolean {
  if (chord !== 'Enter' && chord !== 'Space') return false
  const element = target instanceof Element ? target.closest(ACTIVATED) : null
  return element !== null && element.closest('[data-option]') === null
}

export function handleKey(event: KeyboardEvent): void {
  const chord = chordOf(event)
  if (chord === null || event.defaultPrevented || event.isComposing || isActivation(chord, event.target)) return
  for (const command of activeCommands()) {
    const binding = bindingsOf(command).find(one => matches(one, chord))
    if (binding === undefined || !mayRun(command, binding, event)) continue
    if (command.run(event) === false) continue
    event.preventDefault()
    return
  }
}

export const startShortcuts = () => addEventListener('keydown', handleKey)
