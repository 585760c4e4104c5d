/** What a browser calls itself -> names that people know. Only for show. */
export interface Agent {
  browser: string
  system: string | null
}

/** Most pretend to be others too, so the ones who are more than their model come first. */
const BROWSERS: [RegExp, string][] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bVersion\/.*\bSafari\//, 'Safari'],
]

const SYSTEMS: [RegExp, string][] = [
  [/\b(?:iPhone|iPad|iPod)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMacintosh\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
]

const find = (names: [RegExp, string][], text: string) => names.find(([pattern]) => pattern.test(text))?.[1] ?? null

/** Null when we know no such browser. */
export function toAgent(userAgent: string | null): Agent | null {
  const browser = userAgent === null ? null : find(BROWSERS, userAgent)
  return browser === null || userAgent === null ? null : { browser, system: find(SYSTEMS, userAgent) }
}
