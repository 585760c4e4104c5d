/** The preferences that style sheets depend on. Independent of Vue, so that the look is applied before the application starts. */
export const THEMES = ['system', 'light', 'dark', 'contrast'] as const
export type Theme = (typeof THEMES)[number]

export interface Look {
  theme: Theme
  density: 'comfortable' | 'compact'
  /** Font size of record text in px: 14 to 24. */
  pageSize: number
  pageFont: 'serif' | 'sans' | 'mono'
  motion: 'system' | 'reduced'
  showKeys: 'always' | 'hover' | 'never'
}

export const LOOK: Readonly<Look> = {
  theme: 'system',
  density: 'comfortable',
  pageSize: 17,
  pageFont: 'serif',
  motion: 'system',
  showKeys: 'always',
}

const FONTS = { serif: 'var(--font-page-serif)', sans: 'var(--font-ui)', mono: 'var(--font-mono)' }

export function applyLook(look: Look): void {
  const { dataset, style } = document.documentElement
  // Without the attribute, the page follows the system's theme, including changes.
  if (look.theme === 'system') delete dataset.theme
  else dataset.theme = look.theme
  dataset.density = look.density
  dataset.keys = look.showKeys
  dataset.motion = look.motion
  style.setProperty('--page-size', `${look.pageSize / 16}rem`)
  style.setProperty('--font-page', FONTS[look.pageFont])
}
