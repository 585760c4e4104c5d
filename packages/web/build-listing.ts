/**
 * Adds `build.json` to the build: its id, by which an open page learns that the server has another build; all scripts and styles, which the service worker keeps, and those that some pages need first,
 * which the server names in the head of its answer so that browsers ask for them before the application has started.
 */
import { hash } from 'node:crypto'
import type { Plugin, Rolldown } from 'vite'

/** Path of a page below the base path -> the module it begins with. */
const PAGES = [
  { path: '^$', module: 'features/home/page.vue' },
  { path: '^sign-in$', module: 'features/sign-in/page.vue' },
  { path: '^dataset/[^/]+(/annotation-mode)?$', module: 'features/annotate/page.vue' },
] as const

export interface BuildListing {
  /** Changes with any script or style. */
  id: string
  files: string[]
  /** In the order of need. */
  pages: { path: string; files: string[] }[]
}

export function buildListing(): Plugin {
  return {
    name: 'build-listing',
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        const files = Object.keys(bundle)
          .filter(name => /\.(?:js|css)$/.test(name))
          .sort()
        const listing: BuildListing = {
          // The names of files hold hashes of what is in them.
          id: hash('sha256', files.join('\n')).slice(0, 16),
          files,
          pages: PAGES.map(({ path, module }) => ({ path, files: filesOf(module, bundle) })),
        }
        writeId(bundle, listing.id)
        this.emitFile({ type: 'asset', fileName: 'build.json', source: JSON.stringify(listing) })
      },
    },
  }
}

function writeId(bundle: Rolldown.OutputBundle, id: string): void {
  const page = bundle['index.html']
  if (page?.type !== 'asset') throw new Error('The build has no index.html')
  const text = page.source.toString()
  const written = text.replace('<meta name="build" content="none"', `<meta name="build" content="${id}"`)
  if (written === text) throw new Error('index.html has no place for the id of the build')
  page.source = written
}

function filesOf(module: string, bundle: Rolldown.OutputBundle): string[] {
  const chunks = Object.values(bundle).filter(file => file.type === 'chunk')
  const first = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(module))
  if (!first) throw new Error(`No chunk begins with ${module}`)
  const files = new Set<string>()
  const walk = (name: string) => {
    const chunk = chunks.find(({ fileName }) => fileName === name)
    if (!chunk || files.has(name)) return
    files.add(name)
    for (const style of chunk.viteMetadata?.importedCss ?? []) files.add(style)
    chunk.imports.forEach(walk)
  }
  walk(first.fileName)
  // Styles first: nothing is painted before they are there.
  return [...files].sort((a, b) => rank(a) - rank(b))
}

/** What every page begins with comes first. */
const rank = (name: string) => (name.includes('/app-') ? 0 : 2) + (name.endsWith('.css') ? 0 : 1)
