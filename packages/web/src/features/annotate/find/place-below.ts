const EDGE = 8

/** Puts a floating panel under its anchor, inside the window. */
export function placeBelow(anchor: Element, panel: HTMLElement): void {
  const { left, right, bottom, width } = anchor.getBoundingClientRect()
  panel.style.minWidth = `${width}px`
  const start = document.dir === 'rtl' ? right - panel.offsetWidth : left
  panel.style.left = `${Math.max(EDGE, Math.min(start, innerWidth - panel.offsetWidth - EDGE))}px`
  panel.style.top = `${bottom + 4}px`
}
