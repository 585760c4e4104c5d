/** Lazy components: loaded on first use or prefetched, so that a page waits only for what it shows. */
import {
  type Component,
  defineComponent,
  h,
  type Ref,
  ref,
  type SetupContext,
  type ShallowRef,
  shallowRef,
  type VNode,
  watch,
} from 'vue'
import { checkBuild } from '../build.ts'
import { t } from '../i18n/i18n.ts'
import { showToast } from '../toast.ts'

type Load<C> = () => Promise<{ default: C }>

/** Load state of a lazy component. */
interface Part {
  component: ShallowRef<Component | null>
  /** True if loading failed. */
  isMissing: Ref<boolean>
  /** Resolves once it is loaded or has failed to load. */
  load(): Promise<void>
}

const parts = new WeakMap<Component, Part>()

/** Renders immediately if the component is already loaded. If loading fails, an error is shown in its place. */
export const lazy = <C extends Component>(load: Load<C>): C => toLazy(load, { whileMissing: missingLine })

/** For dialogs with a `close` event. If loading fails, a toast says so and the dialog counts as closed. */
export const lazyDialog = <C extends Component>(load: Load<C>): C =>
  toLazy(load, { whileMissing: () => null, onMissing: closeMissing })

/** Resolves once all of them are loaded or have failed to load. Components that are not lazy count as loaded. */
export const loadAhead = (components: readonly Component[]): Promise<unknown> =>
  Promise.all(components.map(component => parts.get(component)?.load()))

interface LazyOptions {
  whileMissing(part: Part): VNode | null
  onMissing?(attrs: SetupContext['attrs']): void
}

function toLazy<C extends Component>(load: Load<C>, { whileMissing, onMissing }: LazyOptions): C {
  const part = openPart(load)
  const wrapper = defineComponent({
    inheritAttrs: false,
    setup(_, { attrs, slots, expose }) {
      const inner = shallowRef<object | null>(null)
      expose(forwardTo(inner))
      if (onMissing) watch(part.isMissing, isMissing => isMissing && onMissing(attrs))
      void part.load()
      return () => {
        if (part.component.value) return h(part.component.value, { ...attrs, ref: inner }, slots)
        return part.isMissing.value ? whileMissing(part) : null
      }
    },
  })
  parts.set(wrapper, part)
  // The wrapper has the props, slots and exposed members of the component, so it can have its type.
  return wrapper as Component as C
}

function openPart(load: Load<Component>): Part {
  const component = shallowRef<Component | null>(null)
  const isMissing = ref(false)
  let loading: Promise<void> | null = null
  const fetchPart = async () => {
    isMissing.value = false
    try {
      component.value = (await load()).default
    } catch (error) {
      console.error(error)
      isMissing.value = true
      loading = null
    }
  }
  return {
    component,
    isMissing,
    load: () => {
      loading ??= fetchPart()
      return loading
    },
  }
}

/** Forwards a template ref of the wrapper to everything the inner component exposes. */
const forwardTo = (inner: ShallowRef<object | null>) =>
  new Proxy(
    {},
    {
      has: (_, key) => inner.value !== null && key in inner.value,
      get: (_, key) => (inner.value === null ? undefined : Reflect.get(inner.value, key)),
    },
  )

function missingLine({ load }: Part): VNode {
  const again = h('button', { type: 'button', class: 'link', onClick: () => void load() }, t('common.retry'))
  return h('p', { class: 'problem', role: 'alert', 'data-testid': 'missing-part' }, [t('common.part_missing'), ' ', again])
}

async function closeMissing({ onClose }: SetupContext['attrs']): Promise<void> {
  if (typeof onClose === 'function') onClose()
  // A new version shows its own notice.
  if ((await checkBuild()) !== 'new') showToast({ kind: 'warning', text: t('common.part_missing') })
}
