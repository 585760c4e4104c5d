/** Configuration of the documentation website: the pages of docs/, in the order of the sidebar below. */
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const DOCS = join(ROOT, 'docs')

/** Files outside docs/ that have a page on the website. */
const PAGES: Record<string, string> = {
  'CONTRIBUTING.md': 'contribute.md',
  'SECURITY.md': 'security.md',
  'CHANGELOG.md': 'changelog.md',
  'README.md': 'index.md',
}

/** Programs that pages offer for download. */
const EXAMPLES = 'guide/examples/'

/** Pages that include such a file and take their title from it; `contribute` includes CONTRIBUTING.md. */
const INCLUDED = Object.fromEntries(Object.entries(PAGES).map(([file, included]) => [included, file]))

const page = (link: string) => {
  const file = INCLUDED[`${link}.md`]
  const text = readFileSync(file ? join(ROOT, file) : join(DOCS, `${link}.md`), 'utf8')
  const [, title = link] = /^# (.+)$/m.exec(text) ?? []
  return { text: title.replaceAll('`', ''), link: `/${link}` }
}
const pages = (...links: string[]) => links.map(page)
const decisions = readdirSync(join(DOCS, 'decisions'))
  .sort()
  .map(name => page(`decisions/${name.slice(0, -'.md'.length)}`))

const sidebar = [
  { text: 'Start', items: pages('start') },
  { text: 'Annotate', items: pages('guide/annotate') },
  {
    text: 'Lead',
    items: pages('guide/lead', 'guide/new-dataset', 'guide/import', 'guide/export', 'guide/hub', 'guide/administer'),
  },
  { text: 'Python and TypeScript', items: pages('guide/programs', 'guide/webhooks', 'guide/change-feed') },
  {
    text: 'Operate',
    items: pages(
      'guide/operate',
      'guide/command-line',
      'guide/accounts',
      'guide/sign-in',
      'guide/audit-log',
      'security',
      'guide/postgresql',
      'guide/processes',
      'guide/deploy',
      'scaling',
      'performance',
      'guide/telemetry',
    ),
  },
  {
    text: 'Compare and switch',
    items: pages('guide/move-from-argilla', 'guide/move-from-label-studio', 'guide/move-from-doccano', 'guide/move-from-prodigy'),
  },
  {
    text: 'Reference',
    collapsed: true,
    items: pages(
      'reference/routes',
      'reference/errors',
      'reference/settings',
      'reference/commands',
      'reference/events',
      'reference/audit-actions',
      'reference/engines',
      'reference/test-handles',
      'reference/ui-terms',
    ),
  },
  {
    text: 'Contribute',
    collapsed: true,
    items: [
      ...pages('contribute', 'architecture'),
      ...pages(
        ...['threads', 'storage', 'processes', 'change-log', 'search', 'events-and-jobs', 'web'].map(at => `architecture/${at}`),
      ),
      ...pages('roadmap', 'changelog'),
    ],
  },
  { text: 'Decisions', collapsed: true, items: decisions },
]

interface Token {
  type: string
  content: string
  attrGet(name: string): string | null
  attrSet(name: string, value: string): void
  children: Token[] | null
}

/**
 * Pages use links that work in the repository. Links to files outside docs/ become links to their page if they have one;
 * otherwise only the link text remains. Links to examples download them.
 */
function relink(tokens: Token[], from: string): void {
  let isLost = false
  for (const token of tokens) {
    const href = token.type === 'link_open' ? token.attrGet('href') : null
    if (href && !/^(\w+:|#|\/)/.test(href)) {
      const target = toPage(href, from)
      if (target === null) isLost = true
      else token.attrSet('href', target)
      if (target?.startsWith(`/${EXAMPLES}`)) token.attrSet('download', '')
    }
    if (isLost && token.type.startsWith('link_')) {
      isLost = token.type === 'link_open'
      Object.assign(token, { type: 'text', content: '' })
    }
    if (token.children) relink(token.children, from)
  }
}

function toPage(href: string, from: string): string | null {
  const [path = '', hash] = href.split('#')
  const folder = INCLUDED[from] ? ROOT : dirname(join(DOCS, from))
  const file = join(folder, path)
  // VitePress reports it as a dead link.
  if (!existsSync(file)) return href
  const inDocs = relative(DOCS, file)
  const target = inDocs.startsWith('..') ? PAGES[relative(ROOT, file)] : inDocs
  if (target?.startsWith(EXAMPLES)) return `/${target}`
  return target?.endsWith('.md') ? `/${target}${hash === undefined ? '' : `#${hash}`}` : null
}

export default defineConfig({
  title: 'Postil',
  description: 'A server where teams collect human feedback on data.',
  srcDir: '../docs',
  outDir: '../site/dist',
  cleanUrls: true,
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: '/mark.svg' }]],
  vite: { publicDir: join(ROOT, 'site/public') },
  markdown: {
    // Pages are plain Markdown, so `<folder>` is text.
    html: false,
    config(md) {
      // `{{name}}` in code is text, not a Vue expression.
      md.renderer.rules.code_inline = (tokens, at) => `<code v-pre>${md.utils.escapeHtml(tokens[at]?.content ?? '')}</code>`
      md.core.ruler.push('relink', state => relink(state.tokens as Token[], (state.env as { relativePath: string }).relativePath))
    },
  },
  buildEnd: ({ outDir }) => cpSync(join(DOCS, EXAMPLES), join(outDir, EXAMPLES), { recursive: true }),
  themeConfig: {
    logo: '/mark.svg',
    sidebar,
    nav: [
      { text: 'Start', link: '/start' },
      { text: 'Reference', link: '/reference/routes' },
      { text: 'Contribute', link: '/contribute' },
    ],
    search: { provider: 'local' },
    outline: [2, 3],
    footer: { message: 'Apache-2.0' },
  },
})
