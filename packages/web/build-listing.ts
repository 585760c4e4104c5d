/**
 * Adds `build.json` to the build: all scripts and styles, which the service worker keeps, and those that some pages need first,
 * which the server names in the head of its answer so that browsers ask for them before the application has started.
 */
import type { Plugin, Rolldown } from 'vite'

/** Path of a page below the base path -> the module it begins with. */
const PAGES = [
  { path: '^$', module: 'features/home/page.vue' },
  { path: '^sign-in$', module: 'features/sign-in/page.vue' },
  { path: '^dataset/[^/]+(/annotation-mode)?$', module: 'features/annotate/page.vue' },
] as const

export interface BuildListing {
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
        const listing: BuildListing = {
          files: Object.keys(bundle)
            .filter(name => /\.(?:js|css)$/.test(name))
            .sort(),
          pages: PAGES.map(({ path, module }) => ({ path, files: filesOf(module, bundle) })),
        }
        this.emitFile({ type: 'asset', fileName: 'build.json', source: JSON.stringify(listing) })
      },
    },
  }
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
