/** Returns the run named in the URL, or a new one. The run's id is added to the URL once the run has a source. */
import { type ShallowRef, shallowRef, watch } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import { useSession } from '../../session/use-session.ts'
import type { ExistingDataset } from './source-state.ts'
import { type Wizard, wizardsOf } from './wizard.ts'

export function useRun(existing: () => ExistingDataset | null): {
  wizard: ShallowRef<Wizard>
  leave(): void
} {
  const route = useRoute()
  const router = useRouter()
  const wizards = wizardsOf(useSession())
  const idInAddress = () => (typeof route.query.run === 'string' ? route.query.run : null)
  const wizard = shallowRef(wizards.of(idInAddress(), existing()))
  const page = route.name

  watch(
    () => [wizard.value.run.source !== null, wizard.value.run.step] as const,
    ([isBegun, step], before) => {
      const { id } = wizard.value.run
      if (!isBegun || route.name !== page) return
      if (route.query.run === id && route.query.step === step) return
      const to = { query: { ...route.query, run: id, step } }
      // Each step is a separate history entry for the back button; the first step replaces the page's own entry.
      void (route.query.run === id && before !== undefined ? router.push(to) : router.replace(to))
    },
    { immediate: true },
  )
  watch(
    () => [route.query.run, route.query.step],
    ([id, step]) => {
      if (route.name !== page) return
      if ((id ?? null) !== wizard.value.run.id && (id !== undefined || wizard.value.run.source !== null)) {
        wizard.value = wizards.of(idInAddress(), existing())
        return
      }
      const known = (['source', 'map', 'questions', 'people', 'check'] as const).find(one => one === step)
      if (known && known !== wizard.value.run.step) wizard.value.run.step = known
    },
  )
  return {
    wizard,
    /** Starts another run on the same page. */
    leave() {
      wizards.drop(wizard.value.run.id)
      wizard.value = wizards.of(null, existing())
      void router.replace({ query: {} })
    },
  }
}
