/** Keys pressed inside a floating panel are meant for it: arrows move its sliders, not the record under it. */
export function keepKeys(event: KeyboardEvent): void {
  if (!event.ctrlKey && !event.metaKey) event.stopPropagation()
}
