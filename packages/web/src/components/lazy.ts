/** Components that come when they are first needed, or a little ahead of it: a page waits only for what it shows. */
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

/** What a lazy component stands for. */
interface Part {
  component: ShallowRef<Component | null>
  /** It was asked for and could not be fetched. */
  isMissing: Ref<boolean>
  /** Resolves when it is there or known to be missing. */
  load(): Promise<void>
}

const parts = new WeakMap<Component, Part>()

/** Drawn at once if it was loaded before. One that cannot be fetched says so in its place. */
export const lazy = <C extends Component>(load: Load<C>): C => toLazy(load, { whileMissing: missingLine })

/** For what lies over the page and has a `close` event. One that cannot be fetched says so in a message, and counts as closed. */
export const lazyDialog = <C extends Component>(load: Load<C>): C =>
  toLazy(load, { whileMissing: () => null, onMissing: closeMissing })

/** Resolves when all of them are there or known to be missing; those that are not lazy are there. */
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
  // It takes the props and slots of the component, and a template ref to it leads to the component.
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

/** What a template ref to the wrapper sees: all that the component inside exposes. */
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
  // A new version is offered elsewhere.
  if ((await checkBuild()) !== 'new') showToast({ kind: 'warning', text: t('common.part_missing') })
}
