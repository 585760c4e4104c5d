/** The number whose records the dialog shows. Provided by the page, set by the numbers. */
import type { OverviewRecordsQuery } from '@postil/domain/overview'
import { type InjectionKey, inject, provide, type Ref, ref } from 'vue'

export interface DrillDown {
  /** Describes the number; used as the dialog's title. */
  what: string
  query: OverviewRecordsQuery
}

const KEY: InjectionKey<Ref<DrillDown | null>> = Symbol('drill-down')

export function provideDrillDown(): Ref<DrillDown | null> {
  const drillDown = ref<DrillDown | null>(null)
  provide(KEY, drillDown)
  return drillDown
}

export function useDrillDown(): Ref<DrillDown | null> {
  const drillDown = inject(KEY)
  if (drillDown === undefined) throw new Error('The overview page must provide the drill-down')
  return drillDown
}
