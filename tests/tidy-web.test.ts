/** Rules of the web UI that can be checked automatically: dependencies between folders, and where user data may be stored. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../packages/web/src/', import.meta.url))

interface Source {
  path: string
  tree: ts.SourceFile
}

const paths = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).map(path => path.replaceAll('\\', '/'))
const sources = paths.filter(path => /\.(ts|vue)$/.test(path) && !/\.test\.ts$|\/testing\//.test(path)).map(toSource)

/** For a component, the source is its script. */
function toSource(path: string): Source {
  const text = readFileSync(join(ROOT, path), 'utf8')
  const script = path.endsWith('.vue') ? (/<script[^>]*>([\s\S]*?)<\/script>/.exec(text)?.[1] ?? '') : text
  return { path, tree: ts.createSourceFile(path, script, ts.ScriptTarget.Latest, true) }
}

function nodesOf(node: ts.Node): ts.Node[] {
  const nodes: ts.Node[] = [node]
  for (const found of nodes) ts.forEachChild(found, child => void nodes.push(child))
  return nodes
}

describe('imports keep their direction', () => {
  /** Entry points of the application, which may import everything. */
  const ENTRIES = ['main.ts', 'app.vue', 'routes.ts', 'service-worker.ts', 'appearance.ts']
  /** Each layer may import itself and the layers before it. `.` are the files outside folders. */
  const LAYERS = [
    ['i18n', 'storage', 'metadata', 'styles'],
    ['.', 'session'],
    ['outbox', 'shortcuts'],
    ['components'],
    ['fields'],
    ['questions'],
    ['datasets'],
    ['mapping'],
    ['exchange'],
    ['shell'],
    ['features'],
  ]
  /** The only allowed imports between pages. */
  const BETWEEN_FEATURES: Record<string, string[]> = {
    annotate: ['share'],
    home: ['annotate'],
    overview: ['annotate'],
    'dataset-settings': ['annotate'],
    'hub-import': ['wizard'],
    wizard: ['admin'],
  }

  const folderOf = (path: string) => (path.includes('/') ? (path.split('/')[0] ?? '') : '.')
  const layerOf = (path: string) => LAYERS.findIndex(folders => folders.includes(folderOf(path)))
  const featureOf = (path: string) => path.split('/')[1] ?? ''

  function targetsOf({ path, tree }: Source): string[] {
    const names = nodesOf(tree).flatMap(node => {
      if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) return [node.moduleSpecifier.text]
      const isCall = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
      const argument = isCall ? node.arguments[0] : undefined
      return argument && ts.isStringLiteral(argument) ? [argument.text] : []
    })
    return names.filter(name => name.startsWith('.')).map(name => posix.join(dirname(path), name))
  }

  function isWrong(path: string, target: string): boolean {
    if (layerOf(target) > layerOf(path)) return true
    if (folderOf(path) !== 'features' || folderOf(target) !== 'features') return false
    const [from, to] = [featureOf(path), featureOf(target)]
    return from !== to && !BETWEEN_FEATURES[from]?.includes(to)
  }

  test('every folder has its layer', () => {
    expect(sources.map(({ path }) => path).filter(path => layerOf(path) < 0)).toEqual([])
  })

  test('between folders, types too', () => {
    const wrong = sources
      .filter(({ path }) => !ENTRIES.includes(path))
      .flatMap(source =>
        targetsOf(source).flatMap(target => (isWrong(source.path, target) ? [`${source.path} -> ${target}`] : [])),
      )
    expect(wrong).toEqual([])
  })
})

describe('what belongs to a person', () => {
  /** Reason why the state is not user data, by `path#name`. */
  const NOBODYS: Record<string, string> = {
    'build.ts#newBuild': 'of the server',
    'fields/custom/frame-pool.ts#bySource': 'frames, dropped when the session ends',
    'fields/custom/frame-pool.ts#endedAt': 'a time',
    'fields/custom/frame-pool.ts#isTaken': 'whether the page listens',
    'fields/custom/frame-pool.ts#shelf': 'where frames wait',
    'features/annotate/bulk/cards/metadata-hints.ts#formats': 'of the language',
    'fields/custom/frame-pool.ts#spare': 'frames, dropped when the session ends',
    'fields/custom/frame-pool.ts#waiting': 'of what is on screen; gone with it',
    'fields/highlight.ts#current': 'of what is on screen; gone with it',
    'fields/highlight.ts#hitsOf': 'of what is on screen; gone with it',
    'fields/image/use-image-keys.ts#inHand': 'of what is on screen; gone with it',
    'fields/image/use-image-keys.ts#onPage': 'of what is on screen; gone with it',
    'fields/markdown.ts#renderer': 'our own code',
    'fields/markdown.ts#spentMs': 'a time',
    'i18n/i18n.ts#catalogue': 'of the language',
    'i18n/i18n.ts#extras': 'of the language',
    'i18n/i18n.ts#language': 'set from the preferences',
    'i18n/i18n.ts#timeZone': 'set from the preferences',
    'i18n/message.ts#parsed': 'of our own texts',
    'i18n/numbers.ts#kept': 'of the language',
    'i18n/numbers.ts#keptPlurals': 'of the language',
    'preferences.ts#holder': 'the session, until it ends',
    'preferences.ts#preferences': 'taken over from each session and given back at its end',
    'questions/options/chip-widths.ts#context': 'measures letters',
    'questions/options/chip-widths.ts#known': 'widths of labels',
    'questions/span/text/words.ts#characterSegmenter': 'of the language',
    'questions/span/text/words.ts#wordSegmenter': 'of the language',
    'questions/suggested.ts#NONE': 'empty',
    'shell/dataset-dialog.ts#datasetDialog': 'which dialog is open',
    'shell/new-version.ts#target': 'an address, for the moment of a reload',
    'shell/overlays.ts#commandsBeneath': 'while the palette is open',
    'shell/overlays.ts#entriesBeneath': 'while the palette is open',
    'shell/overlays.ts#overlay': 'which dialog is open',
    'shell/palette-entries.ts#providers': 'of what is on screen; gone with it',
    'shortcuts/commands.ts#registered': 'of what is on screen; gone with it',
    'toast.ts#timer': 'a timer',
    'toast.ts#toast': 'hidden when the session ends',
  }
  const MAKERS = /^(ref|shallowRef|reactive|shallowReactive|customRef)$/

  /** A list or map of constants is not modified, and a WeakMap does not keep its keys alive. */
  function isState(list: ts.VariableDeclarationList, { type, initializer }: ts.VariableDeclaration): boolean {
    if (!(list.flags & ts.NodeFlags.Const)) return true
    if (!initializer || type?.getText().startsWith('Readonly')) return false
    if (ts.isCallExpression(initializer)) return MAKERS.test(initializer.expression.getText())
    if (ts.isNewExpression(initializer))
      return /^(Map|Set)$/.test(initializer.expression.getText()) && !initializer.arguments?.length
    return ts.isArrayLiteralExpression(initializer) && initializer.elements.length === 0
  }

  const stateOf = ({ path, tree }: Source) =>
    tree.statements
      .filter(ts.isVariableStatement)
      .flatMap(({ declarationList: list }) =>
        list.declarations.filter(one => isState(list, one)).map(({ name }) => `${path}#${name.getText()}`),
      )

  // State that a component declares in its setup belongs to that component.
  const found = sources.filter(({ path }) => path.endsWith('.ts')).flatMap(stateOf)

  test('is in no module variable', () => {
    expect(found.filter(name => !(name in NOBODYS))).toEqual([])
    expect(Object.keys(NOBODYS).filter(name => !found.includes(name))).toEqual([])
  })

  test('is stored by the session: nothing else uses the storage of the browser, or talks to other tabs', () => {
    const names = new Set(['localStorage', 'sessionStorage', 'indexedDB', 'BroadcastChannel', 'caches', 'cookieStore'])
    const wrong = sources
      .filter(({ path }) => !/^(storage|session)\//.test(path))
      .flatMap(({ path, tree }) =>
        nodesOf(tree).flatMap(node => (ts.isIdentifier(node) && names.has(node.text) ? [`${path}: ${node.text}`] : [])),
      )
    expect(wrong).toEqual([])
  })

  test('is drawn without private parts of Vue', () => {
    const wrong = sources.filter(({ tree }) => nodesOf(tree).some(node => ts.isIdentifier(node) && /^__[a-z]/.test(node.text)))
    expect(wrong.map(({ path }) => path)).toEqual([])
  })
})
