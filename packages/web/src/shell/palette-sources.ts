/** Palette entries that are available on every page. */
import type { DatasetWithIncludes } from '@postil/domain/dataset-includes'
import type { Router } from 'vue-router'
import type { Api } from '../api.ts'
import type { CurrentDataset } from '../datasets/current-dataset.ts'
import { LANGUAGES, language, type MessageKey, t } from '../i18n/i18n.ts'
import { preferences, THEMES } from '../preferences.ts'
import { describeProblem } from '../problems.ts'
import { bindingsOf, type Command } from '../shortcuts/commands.ts'
import { showToast } from '../toast.ts'
import { LANGUAGE_NAMES } from './language-names.ts'
import type { PaletteEntry } from './palette-entries.ts'

export function commandEntries(commands: readonly Command[]): PaletteEntry[] {
  const offered = commands.filter(({ inPalette }) => inPalette !== false)
  const inner = new Map(offered.toReversed().map(command => [command.id, command]))
  return offered
    .filter(command => inner.get(command.id) === command)
    .map(command => ({
      id: `command:${command.id}`,
      title: t(command.title, command.titleValues),
      group: t('shell.palette_commands'),
      words: t(command.group),
      keys: bindingsOf(command),
      run: () => command.run(null),
    }))
}

const SETTINGS_TABS: [tab: string, title: MessageKey][] = [
  ['general', 'shell.settings_general'],
  ['fields', 'shell.settings_fields'],
  ['questions', 'shell.settings_questions'],
  ['metadata', 'shell.settings_metadata'],
  ['vector', 'shell.settings_vector'],
  ['danger-zone', 'shell.settings_danger_zone'],
]

const ADMIN_PAGES: [name: string, title: MessageKey][] = [
  ['admin-users', 'shell.admin_users'],
  ['admin-invitations', 'shell.admin_invitations'],
  ['admin-workspaces', 'shell.admin_workspaces'],
  ['admin-webhooks', 'shell.admin_webhooks'],
  ['admin-jobs', 'shell.admin_jobs'],
  ['admin-audit-log', 'shell.admin_audit_log'],
]

/** Owners get all admin pages; admins get the workspaces page. */
export const adminEntries = (router: Router, isOwner: boolean): PaletteEntry[] =>
  ADMIN_PAGES.filter(([name]) => isOwner || name === 'admin-workspaces').map(([name, title]) => ({
    id: `page:${name}`,
    title: t(title),
    group: t('shell.palette_pages'),
    words: t('shell.administration'),
    run: () => router.push({ name }),
  }))

export function pageEntries(router: Router, dataset: CurrentDataset | null, isLead: boolean): PaletteEntry[] {
  const group = t('shell.palette_pages')
  const own = [
    { id: 'page:home', title: t('common.home'), group, run: () => router.push({ name: 'home' }) },
    { id: 'page:me', title: t('shell.my_settings'), group, run: () => router.push({ name: 'user-settings' }) },
  ]
  if (dataset === null) return own
  const params = { id: dataset.id }
  const tabs = SETTINGS_TABS.map(([tab, title]) => ({
    id: `settings:${tab}`,
    title: t(title),
    group,
    words: dataset.name,
    run: () => router.push({ name: 'dataset-settings', params, query: { tab } }),
  }))
  const overview = {
    id: 'page:overview',
    title: t('shell.tab_overview'),
    group,
    run: () => router.push({ name: 'overview', params }),
  }
  const annotate = {
    id: 'page:annotate',
    title: t('shell.tab_annotate'),
    group,
    run: () => router.push({ name: 'annotate', params }),
  }
  return [annotate, ...(isLead ? [overview] : []), ...own, ...tabs]
}

export const datasetEntries = (router: Router, datasets: readonly DatasetWithIncludes[]): PaletteEntry[] =>
  datasets.map(({ id, name, workspace }) => ({
    id: `dataset:${id}`,
    title: name,
    group: t('common.datasets'),
    words: workspace?.name ?? '',
    run: () => router.push({ name: 'annotate', params: { id } }),
  }))

export const appearanceEntries = (): PaletteEntry[] => [
  ...THEMES.map(theme => ({
    id: `theme:${theme}`,
    title: t('shell.theme_now', { name: t(`shell.theme_${theme}`) }),
    group: t('shell.theme'),
    run: () => {
      preferences.theme = theme
    },
  })),
  ...LANGUAGES.map(tag => ({
    id: `language:${tag}`,
    title: t('shell.language_now', { name: LANGUAGE_NAMES[tag] }),
    group: t('shell.language'),
    // Also matches the language's name in the current language, e.g. Spanish or Spanisch.
    words: new Intl.DisplayNames(language.value, { type: 'language' }).of(tag) ?? tag,
    run: () => {
      preferences.language = tag
    },
  })),
]

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

/** Returns the record that the query identifies: by record id in any dataset, or by external id in the current dataset. */
export function recordEntry(api: Api, router: Router, query: string, dataset: CurrentDataset | null): PaletteEntry | null {
  const id = query.trim()
  const group = t('shell.palette_record')
  if (UUID.test(id)) {
    const run = () => router.push({ name: 'record', params: { id } })
    return { id: 'record', title: t('shell.record_by_id', { id }), group, run }
  }
  if (dataset === null || id === '') return null
  const title = t('shell.record_by_external_id', { id, dataset: dataset.name })
  return { id: 'record', title, group, run: () => openByExternalId(api, router, id, dataset) }
}

async function openByExternalId(api: Api, router: Router, externalId: string, dataset: CurrentDataset): Promise<void> {
  try {
    const { items } = await api.searchMyRecords({
      params: { dataset_id: dataset.id },
      query: { limit: 1 },
      body: {
        filters: { and: [{ type: 'terms', scope: { entity: 'record', property: 'external_id' }, values: [externalId] }] },
      },
    })
    const record = items[0]?.record
    if (record) await router.push({ name: 'record', params: { id: record.id } })
    else showToast({ kind: 'warning', text: t('shell.record_missing', { id: externalId, dataset: dataset.name }) })
  } catch (error) {
    showToast({ kind: 'danger', text: describeProblem(error) })
  }
}
