/** Components that come when they are first needed, or a little ahead of it: a page waits only for what it shows. */
import { type Component, defineAsyncComponent } from 'vue'

const loads = new WeakMap<Component, () => Promise<unknown>>()

export function lazy<C extends Component>(load: () => Promise<{ default: C }>): C {
  const component = defineAsyncComponent(load)
  loads.set(component, load)
  return component as C
}

/** Resolves when all of them are there; those that are not lazy are. */
export const loadAhead = (components: readonly Component[]): Promise<unknown> =>
  Promise.all(components.map(component => loads.get(component)?.()))
