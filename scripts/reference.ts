/**
 * Generates the pages of docs/reference from the tables in the source; they are never edited by hand.
 *
 *   npm run reference               writes them
 *   npm run reference -- --check    exits with 1 if one is outdated (the tidy test checks the same)
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CONTRACTS } from '@postil/domain/api/all'
import { AUDIT_ACTIONS } from '@postil/domain/audit-log'
import { ERROR_CODES } from '@postil/domain/errors'
import { EVENTS } from '@postil/domain/events'
import { LIVE_EVENTS } from '@postil/domain/live'
import type { Setting } from '@postil/server/setting-kinds'
import { SETTINGS } from '@postil/server/settings'
import { UNUSED_SETTINGS } from '@postil/server/unused-settings'
import { commandSections } from './reference-commands.ts'
import { feedSections } from './reference-feed.ts'
import { toMarkdownTable } from './reference-table.ts'

const FOLDER = fileURLToPath(new URL('../docs/reference/', import.meta.url))

/** Returns the text of every page by file name. */
export function referencePages(): Map<string, string> {
  return new Map([
    ['settings.md', settingsPage(Object.values<Setting>(SETTINGS), UNUSED_SETTINGS)],
    ['errors.md', errorsPage(ERROR_CODES)],
    ['routes.md', routesPage(CONTRACTS)],
    ['events.md', eventsPage(EVENTS, LIVE_EVENTS)],
    ['audit-actions.md', auditActionsPage(AUDIT_ACTIONS)],
    ['commands.md', commandsPage()],
  ])
}

/** Returns the names of the pages that differ from the source. */
export function listStalePages(): string[] {
  const isStale = ([name, text]: [string, string]) =>
    !existsSync(join(FOLDER, name)) || readFileSync(join(FOLDER, name), 'utf8') !== text
  return [...referencePages()].filter(isStale).map(([name]) => name)
}

function settingsPage(settings: Setting[], unused: Readonly<Record<string, string>>): string {
  const row = (setting: Setting) => [
    `\`SERVICE_${setting.name}\`${setting.otherName ? ` or \`SERVICE_${setting.otherName}\`` : ''}`,
    setting.fallbackText ?? (setting.fallback === null ? 'none' : `\`${toText(setting.fallback)}\``),
    capitalised(setting.expected),
    setting.about,
  ]
  return page('Settings', [
    'The server reads its settings from the environment, once, when it starts. It does not start while one is wrong: it names each wrong one, the value given and what would be right. `npm run postil -- start --help` lists the few that are options of the command too; an option wins.',
    'Names may be written in any case. Where `SERVICE_<NAME>` is not set, `ARGILLA_<NAME>` is read. An empty value counts as not set.',
    toMarkdownTable(['Name', 'Default', 'Accepted', 'What it does'], settings.map(row)),
    '## The first owner',
    'With `USERNAME` and `PASSWORD` both set (8 to 100 characters), the server makes an owner of that name when it starts and there is none. `API_KEY` (at least 8 characters) gives the owner that key instead of a random one, `WORKSPACE` makes a workspace with the owner in it.',
    '## Others without prefix',
    toMarkdownTable(
      ['Name', 'What it does'],
      [
        ['`REINDEX_DATASETS`', 'With `1`, every dataset is indexed anew when the server starts.'],
        ['`HF_HUB_DISABLE_TELEMETRY`, `HF_HUB_OFFLINE`', 'With `1`, nothing is reported, as with `SERVICE_ENABLE_TELEMETRY=0`.'],
        [
          '`SPACE_ID` and the other `SPACE_…`, `PERSISTANT_STORAGE_ENABLED`',
          'Set by a hosted space; told to clients in `GET /api/v1/settings`.',
        ],
      ],
    ),
    '## Not used yet',
    'Accepted without effect and with a warning, so that a team can bring its environment along.',
    toMarkdownTable(
      ['Name', 'What it is for'],
      Object.entries(unused).map(([name, about]) => [`\`SERVICE_${name}\``, about]),
    ),
  ])
}

function commandsPage(): string {
  return page('Commands', [
    'All commands of `postil`; [the guide](../guide/command-line.md) shows how they are used. `--help` after any of them shows the same, with examples.',
    ...commandSections(),
  ])
}

function errorsPage(codes: Readonly<Record<string, number>>): string {
  return page('Errors', [
    'Every failure that the server expects has one of these codes, and each code one HTTP status.',
    toMarkdownTable(
      ['Code', 'Status'],
      Object.entries(codes).map(([code, status]) => [`\`${code}\``, String(status)]),
    ),
  ])
}

interface RouteEntry {
  method: string
  path: string
  tag: string
  summary: string
  auth: boolean
}

/** Lists every route, with a heading for each tag. */
function routesPage(routes: readonly RouteEntry[]): string {
  const tags = Map.groupBy(routes, route => route.tag)
  const row = ({ method, path, summary, auth }: RouteEntry) => [
    `\`${method} ${path}\``,
    auth ? summary : `${summary} (no credentials)`,
  ]
  const sections = [...tags].flatMap(([tag, of]) => [
    `## ${capitalised(tag)}`,
    toMarkdownTable(['Route', 'What it does'], of.map(row)),
  ])
  return page('Routes', [
    'The same in full, with every body: `/api/v1/openapi.json` of a running server.',
    'A request to a route that needs credentials may name its user in the header `X-Postil-User`: the id that `GET /api/v1/me` answers. If the credentials are those of another user, or the value is not one id, the request is refused with status 409 and the code `wrong_user`, before anything is done. Without the header nothing is compared.',
    ...sections,
  ])
}

function eventsPage(events: Readonly<Record<string, string>>, live: Readonly<Record<string, string>>): string {
  const rows = (entries: Readonly<Record<string, string>>) =>
    Object.entries(entries).map(([name, about]) => [`\`${name}\``, about])
  return page('Events', [
    'What the server says has happened.',
    toMarkdownTable(['Event', 'When'], rows(events)),
    ...feedSections(),
    '## Server-sent events',
    'To whoever has a dataset open, over `GET /api/v1/me/datasets/:dataset_id/events`: 6 streams a person and 200 a server. Nothing is sent twice or later: who connects, also again, should then load what is shown.',
    toMarkdownTable(['Event', 'What it says'], rows(live)),
  ])
}

function auditActionsPage(actions: Readonly<Record<string, string>>): string {
  return page('Actions of the audit log', [
    'What the [audit log](../guide/audit-log.md) notes. A name begins with the type of its target: `target_type=user` finds all actions that begin with `user.`.',
    toMarkdownTable(
      ['Action', 'What happened'],
      Object.entries(actions).map(([name, about]) => [`\`${name}\``, about]),
    ),
  ])
}

const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
const toText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

function page(title: string, parts: string[]): string {
  return `${[`# ${title}`, '<!-- Made by `npm run reference`; do not edit. -->', ...parts].join('\n\n')}\n`
}

function main(): void {
  const stale = listStalePages()
  if (process.argv.includes('--check')) {
    if (stale.length > 0) console.error(`Out of date in docs/reference: ${stale.join(', ')}. Run \`npm run reference\`.`)
    process.exitCode = stale.length > 0 ? 1 : 0
    return
  }
  mkdirSync(FOLDER, { recursive: true })
  for (const [name, text] of referencePages()) writeFileSync(join(FOLDER, name), text)
  console.log(stale.length > 0 ? `Written: ${stale.join(', ')}` : 'Everything was up to date')
}

if (import.meta.main) main()
