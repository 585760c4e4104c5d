/** Keeps keys inside a floating panel, so that arrow keys move its sliders instead of changing the record. */
export function keepKeys(event: KeyboardEvent): void {
  if (!event.ctrlKey && !event.metaKey) event.stopPropagation()
}
