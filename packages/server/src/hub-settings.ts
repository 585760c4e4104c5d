/** Settings of imports from and exports to a hub: a part of `SETTINGS`. */
import { integer, type Setting, text } from './setting-kinds.ts'

const toHubUrl = (given: string): string | undefined => {
  const url = URL.parse(given)
  const isBase = url !== null && /^https?:$/.test(url.protocol) && url.username + url.password + url.search + url.hash === ''
  return isBase ? url.href.replace(/\/+$/, '') : undefined
}

export const HUB_SETTINGS = {
  hubUrl: {
    name: 'HUB_URL',
    about:
      'The hub that datasets are imported from and exported to. A hub on a private network may name private addresses for its files.',
    expected: 'a URL that begins with `http://` or `https://`',
    fallback: 'https://huggingface.co',
    read: toHubUrl,
  } as Setting<string>,
  hubToken: {
    ...text(
      'HUB_TOKEN',
      null,
      'Token with which imports read the hub; public datasets need none. Everybody who may import can read what this token can read.',
    ),
    secret: true,
  } as Setting<string | null>,
  hubImportRowsMax: integer(
    'HUB_IMPORT_ROWS_MAX',
    10_000,
    [1, 100_000_000],
    'Rows of a split that one import takes, from the first on.',
  ),
}
