/**
 * Adds `build.json` to the build. It contains:
 * - the build id, which open pages compare to detect a new build on the server;
 * - all scripts and styles, which the service worker caches;
 * - the files that some pages need first. The server sends them as preload headers, so that browsers fetch them before the
 *   application starts.
 */
import { hash } from 'node:crypto'
import type { Plugin, Rolldown } from 'vite'

/** Path of a page below the base path -> its entry module. */
const PAGES = [
  { path: '^$', module: 'features/home/page.vue' },
  { path: '^sign-in$', module: 'features/sign-in/page.vue' },
  { path: '^dataset/[^/]+(/annotation-mode)?$', module: 'features/annotate/page.vue' },
] as const

export interface BuildListing {
  /** Changes with any script or style. */
  id: string
  files: string[]
  /** Files in the order in which the page needs them. */
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
          // File names contain content hashes, so the list of names identifies the build.
          id: hash('sha256', files.join('\n')).slice(0, 16),
          files,
          pages: PAGES.map(({ path, module }) => ({ path, files: filesOf(module, bundle, files.filter(isEarly)) })),
        }
        writeId(bundle, listing.id)
        this.emitFile({ type: 'asset', fileName: 'compile.html', source: compilePage(listing) })
        this.emitFile({ type: 'asset', fileName: 'build.json', source: JSON.stringify(listing) })
      },
    },
  }
}

/** Loads the scripts of the annotation page without starting the application, so that the browser stores their compiled code. */
function compilePage({ pages }: BuildListing): string {
  const scripts = (pages.at(-1)?.files ?? []).filter(name => name.endsWith('.js'))
  const tags = scripts.map(name => `<script type="module" src="./${name}"></script>`)
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Postil</title>${tags.join('')}</html>\n`
}

function writeId(bundle: Rolldown.OutputBundle, id: string): void {
  const page = bundle['index.html']
  if (page?.type !== 'asset') throw new Error('The build has no index.html')
  const text = page.source.toString()
  const written = text.replace('<meta name="build" content="none"', `<meta name="build" content="${id}"`)
  if (written === text) throw new Error('index.html has no place for the id of the build')
  page.source = written
}

function filesOf(module: string, bundle: Rolldown.OutputBundle, early: readonly string[]): string[] {
  const chunks = Object.values(bundle).filter(file => file.type === 'chunk')
  const first = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(module))
  if (!first) throw new Error(`No chunk begins with ${module}`)
  const files = new Set(early)
  const walk = (name: string) => {
    const chunk = chunks.find(({ fileName }) => fileName === name)
    if (!chunk || files.has(name)) return
    files.add(name)
    for (const style of chunk.viteMetadata?.importedCss ?? []) files.add(style)
    chunk.imports.forEach(walk)
  }
  walk(first.fileName)
  // Styles come first, because they block the first paint.
  return [...files].sort((a, b) => rank(a) - rank(b))
}

const isEarly = (name: string) => name.includes('/early-')

/** Sort order: styles, the early script, the chunk that every page needs, then the rest. */
const rank = (name: string) => (isEarly(name) ? 1 : name.endsWith('.css') ? 0 : name.includes('/app-') ? 2 : 3)
