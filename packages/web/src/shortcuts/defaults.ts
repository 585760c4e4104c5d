/**
 * Table of all commands: titles, headings, places and default chords. Key handlers, the shortcut sheet, the palette and the
 * settings read it; users can change every key. Components register their commands with `define('annotate.submit', submit)`.
 */
import type { MessageKey } from '../i18n/i18n.ts'
import { preferences } from '../preferences.ts'
import type { Command } from './commands.ts'
import type { Place } from './places.ts'

type Extra = Pick<Command, 'inText' | 'repeats' | 'inPalette'>
type Row = Pick<Command, 'title' | 'group' | 'keys'> & Extra & { place: Place }

const rowsAt =
  (place: Place, group: MessageKey, shared: Extra = {}) =>
  (title: MessageKey, keys: readonly string[], extra: Extra = {}): Row => ({ title, group, keys, place, ...shared, ...extra })

/** Commands that only make sense at the focused element. */
const HERE = { inPalette: false } as const
const HELD = { repeats: true } as const
const TYPING = { inText: true, inPalette: false } as const

const ANSWER = 'shell.group_answer'
const MOVE = 'shell.group_move'
const FIND = 'shell.group_find'
const answer = rowsAt('work', ANSWER)
const answerOne = rowsAt('focus', ANSWER)
const move = rowsAt('work', MOVE)
const moveOne = rowsAt('focus', MOVE)
const find = rowsAt('work', FIND)
const searchBox = rowsAt('search-box', FIND, TYPING)
const panel = rowsAt('work', 'shell.group_panels')
const panelOfOne = rowsAt('focus', 'shell.group_panels')
const bulk = rowsAt('bulk', 'shell.group_bulk')
const image = rowsAt('work', 'shell.group_image')
const question = rowsAt('question', 'questions.group_question', HERE)
const option = rowsAt('option', 'questions.group_question', HERE)
const anyOption = rowsAt('option-or-item', 'questions.group_question', { ...HERE, ...HELD })
const labelSearch = rowsAt('label-search', 'questions.group_question', TYPING)
const item = rowsAt('item', 'questions.type_ranking', HERE)
const text = rowsAt('text-question', 'questions.type_text')
const editor = rowsAt('editor', 'questions.type_text', TYPING)
const span = rowsAt('span-text', 'span.group', HERE)
const spanMove = rowsAt('span-text', 'span.group', { ...HERE, ...HELD })
const spanLetters = rowsAt('span-letters', 'span.group', HERE)
const labelList = rowsAt('label-list', 'span.group', TYPING)
const chat = rowsAt('chat', 'fields.type_chat', { ...HERE, ...HELD })
const home = rowsAt('home', 'shell.group_home')
const settings = rowsAt('settings', 'shell.tab_settings', TYPING)
const labelTable = rowsAt('label-table', 'shell.tab_settings', { ...TYPING, ...HELD })
const everywhere = rowsAt('everywhere', 'shell.group_everywhere')

export const COMMANDS = {
  'annotate.submit': answer('shell.cmd_submit', ['Enter']),
  'annotate.submitFromText': answer('shell.cmd_submit_from_text', ['Mod+Enter'], TYPING),
  'annotate.draft': answer('shell.cmd_draft', ['Mod+s'], { inText: true }),
  'annotate.discard': answer('shell.cmd_discard', ['x', 'Mod+Backspace']),
  'annotate.skip': answerOne('shell.cmd_skip', ['Shift+ArrowRight']),
  'annotate.clear': answer('shell.cmd_clear', ['Alt+Backspace']),
  'annotate.takeSuggestion': answerOne('shell.cmd_take_suggestion', ['u']),
  'annotate.undo': answer('shell.cmd_undo', ['Mod+z']),
  'annotate.redo': answer('shell.cmd_redo', ['Mod+Shift+z', 'Mod+y']),
  'annotate.recent': answer('shell.cmd_recent', []),
  'annotate.flag': answerOne('shell.cmd_flag', ['b']),
  'annotate.comment': answerOne('shell.cmd_comment', ['c']),
  'annotate.next': move('shell.cmd_next', ['ArrowRight'], HELD),
  'annotate.previous': move('shell.cmd_previous', ['ArrowLeft'], HELD),
  'annotate.first': moveOne('shell.cmd_first', ['Home']),
  'annotate.last': moveOne('shell.cmd_last', ['End']),
  'annotate.goto': moveOne('shell.cmd_goto', ['g']),
  'annotate.question': move('shell.cmd_question', ['Shift+0-9'], HERE),
  'form.nextQuestion': moveOne('annotate.next_question', ['ArrowDown'], HELD),
  'form.previousQuestion': moveOne('annotate.previous_question', ['ArrowUp'], HELD),
  'annotate.enterForm': moveOne('annotate.enter_form', ['Tab'], HERE),
  'annotate.leaveForm': moveOne('annotate.leave_form', ['Escape'], HERE),
  'annotate.focusRecord': move('shell.cmd_focus_record', ['r']),
  'annotate.focusForm': move('shell.cmd_focus_form', ['q']),
  'annotate.scrollDown': moveOne('shell.cmd_scroll_down', ['Alt+ArrowDown', 'Space'], { ...HERE, ...HELD }),
  'annotate.scrollUp': moveOne('shell.cmd_scroll_up', ['Alt+ArrowUp'], { ...HERE, ...HELD }),
  'annotate.bulk': move('find.cmd_view', ['l']),
  'annotate.search': find('shell.cmd_search', ['/']),
  'annotate.filters': find('shell.cmd_filters', ['f']),
  'annotate.sort': find('shell.cmd_sort', ['o']),
  'annotate.nextHit': find('shell.cmd_next_hit', ['n'], HELD),
  'annotate.previousHit': find('shell.cmd_previous_hit', ['Shift+n'], HELD),
  'annotate.similar': find('shell.cmd_similar', ['s']),
  'search.apply': searchBox('find.cmd_apply', ['Enter']),
  'search.nextRow': searchBox('find.cmd_next_row', ['ArrowDown'], HELD),
  'search.previousRow': searchBox('find.cmd_previous_row', ['ArrowUp'], HELD),
  'search.leave': searchBox('find.cmd_leave', ['Escape']),
  'annotate.guidelines': panel('shell.cmd_guidelines', ['i']),
  'annotate.progress': panel('shell.cmd_progress', ['p']),
  'annotate.metadata': panelOfOne('shell.cmd_metadata', ['m']),
  'annotate.sideBySide': panelOfOne('annotate.fields_side_by_side', ['t']),
  'question.pick': question('questions.cmd_pick', ['0-9']),
  'question.toggle': option('questions.cmd_toggle', ['Space']),
  'question.nextOption': anyOption('questions.cmd_next_option', ['Tab']),
  'question.previousOption': anyOption('questions.cmd_previous_option', ['Shift+Tab']),
  'question.find': option('questions.cmd_find', ['a-z']),
  'question.takeHit': labelSearch('questions.cmd_take_hit', ['Enter']),
  'question.leaveSearch': labelSearch('questions.cmd_leave_search', ['ArrowDown', 'ArrowUp', 'Escape']),
  'question.rankUp': item('questions.cmd_rank_up', ['Alt+ArrowUp'], HELD),
  'question.rankDown': item('questions.cmd_rank_down', ['Alt+ArrowDown'], HELD),
  'question.unrank': item('questions.cmd_unrank', ['Delete']),
  'question.edit': text('questions.cmd_edit', ['Shift+Enter']),
  'question.leave': editor('questions.cmd_leave', ['Escape']),
  'span.letter': spanLetters('span.cmd_letter', ['a-z']),
  'span.all': span('span.cmd_all', ['a']),
  'span.move.word.left': spanMove('span.cmd_move_word_left', ['ArrowLeft']),
  'span.move.word.right': spanMove('span.cmd_move_word_right', ['ArrowRight']),
  'span.extend.word.left': spanMove('span.cmd_extend_word_left', ['Shift+ArrowLeft']),
  'span.extend.word.right': spanMove('span.cmd_extend_word_right', ['Shift+ArrowRight']),
  'span.move.character.left': spanMove('span.cmd_move_character_left', ['Alt+ArrowLeft']),
  'span.move.character.right': spanMove('span.cmd_move_character_right', ['Alt+ArrowRight']),
  'span.extend.character.left': spanMove('span.cmd_extend_character_left', ['Alt+Shift+ArrowLeft']),
  'span.extend.character.right': spanMove('span.cmd_extend_character_right', ['Alt+Shift+ArrowRight']),
  'span.previous': spanMove('span.cmd_previous', ['[']),
  'span.next': spanMove('span.cmd_next', [']']),
  'span.remove': span('span.cmd_remove', ['Delete']),
  'span.open': span('span.cmd_open', ['Shift+Enter']),
  'span.leave': span('span.cmd_leave', ['Escape']),
  'labelList.next': labelList('span.cmd_list_next', ['ArrowDown'], HELD),
  'labelList.previous': labelList('span.cmd_list_previous', ['ArrowUp'], HELD),
  'labelList.take': labelList('span.cmd_list_take', ['Enter']),
  'labelList.leave': labelList('span.cmd_list_leave', ['Escape']),
  'chat.nextTurn': chat('fields.next_turn', ['j']),
  'chat.previousTurn': chat('fields.previous_turn', ['k']),
  'image.zoomIn': image('shell.cmd_zoom_in', ['+'], HELD),
  'image.zoomOut': image('shell.cmd_zoom_out', ['-'], HELD),
  'image.fit': image('shell.cmd_fit', ['0']),
  'image.fullScreen': image('shell.cmd_full_screen', ['v']),
  'bulk.tick': bulk('shell.cmd_tick', ['Space'], HERE),
  'bulk.range': bulk('shell.cmd_range', ['Shift+ArrowDown'], { ...HERE, ...HELD }),
  'bulk.rangeUp': bulk('bulk.range_up', ['Shift+ArrowUp'], { ...HERE, ...HELD }),
  'bulk.all': bulk('shell.cmd_all', ['Mod+a']),
  'bulk.none': bulk('shell.cmd_none', ['Escape']),
  'bulk.nextCard': bulk('shell.cmd_next_card', ['j', 'ArrowDown'], { ...HERE, ...HELD }),
  'bulk.previousCard': bulk('shell.cmd_previous_card', ['k', 'ArrowUp'], { ...HERE, ...HELD }),
  'home.continue': home('shell.cmd_continue', ['c']),
  'home.search': home('home.cmd_find', ['/']),
  'settings.update': settings('datasetSettings.cmd_update', ['Mod+s']),
  'question.labelUp': labelTable('questions.cmd_label_up', ['Alt+ArrowUp']),
  'question.labelDown': labelTable('questions.cmd_label_down', ['Alt+ArrowDown']),
  'shell.palette': everywhere('shell.cmd_palette', ['Mod+k'], TYPING),
  'shell.sheet': everywhere('shell.cmd_sheet', ['?']),
} as const satisfies Record<string, Row>

export type CommandId = keyof typeof COMMANDS
export const COMMAND_IDS = Object.keys(COMMANDS) as CommandId[]

const BACKSPACE = 'Backspace'

/** Default chords of a command, before custom bindings. */
export function defaultKeysOf(id: CommandId): readonly string[] {
  const { keys } = COMMANDS[id]
  return id === 'annotate.discard' && preferences.backspaceDiscards ? [...keys, BACKSPACE] : keys
}

/** Current chords of a command. */
export const keysNow = (id: CommandId): readonly string[] => preferences.bindings[id] ?? defaultKeysOf(id)

/** Creates a command from the table that calls `run`; `extra` adds a condition or a more specific title. */
export const define = (
  id: CommandId,
  run: Command['run'],
  extra: Partial<Pick<Command, 'when' | 'title' | 'titleValues' | 'inText' | 'repeats' | 'inPalette'>> = {},
): Command => ({ id, ...COMMANDS[id], keys: defaultKeysOf(id), run, ...extra })
