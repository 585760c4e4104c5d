/** No answer and an empty one are the same. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

export const TABS = ['mine', 'suggestion', 'changes'] as const
export type Tab = (typeof TABS)[number]

/** One tab, so none to choose from, when there is nothing to compare or no difference. */
export function tabsFor(mine: string, suggested: string | null): readonly Tab[] {
  if (suggested === null || suggested === '' || mine === suggested) return ['mine']
  return mine === '' ? ['mine', 'suggestion'] : TABS
}
