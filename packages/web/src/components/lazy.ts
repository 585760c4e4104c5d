/** Components that come when they are first needed, or a little ahead of it: a page waits only for what it shows. */
import { type Component, defineAsyncComponent } from 'vue'

export const lazy = <C extends Component>(load: () => Promise<{ default: C }>): C => defineAsyncComponent(load) as C

/** How Vue itself brings one: from then on it is drawn at once, not a moment later. */
interface Lazy {
  __asyncLoader?(): Promise<unknown>
}

/** Resolves when all of them are there; those that are not lazy are. */
export const loadAhead = (components: readonly Component[]): Promise<unknown> =>
  Promise.all(components.map(component => (component as Lazy).__asyncLoader?.()))
