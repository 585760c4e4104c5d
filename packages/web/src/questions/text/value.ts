/** No answer and an empty answer are equivalent. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

export const TABS = ['mine', 'suggestion', 'changes'] as const
export type Tab = (typeof TABS)[number]

/** Returns a single tab if there is nothing to compare or no difference. */
export function tabsFor(mine: string, suggested: string | null): readonly Tab[] {
  if (suggested === null || suggested === '' || mine === suggested) return ['mine']
  return mine === '' ? ['mine', 'suggestion'] : TABS
}
