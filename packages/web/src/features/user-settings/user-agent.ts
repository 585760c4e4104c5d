/** Parses a user agent string into the names of the browser and the system. For display only. */
export interface BrowserInfo {
  browser: string
  system: string | null
}

/** Most browsers also name the browser they derive from, so the more specific patterns come first. */
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

/** Returns null if the browser is unknown. */
export function parseUserAgent(userAgent: string | null): BrowserInfo | null {
  const browser = userAgent === null ? null : find(BROWSERS, userAgent)
  return browser === null || userAgent === null ? null : { browser, system: find(SYSTEMS, userAgent) }
}
