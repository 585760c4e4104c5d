/**
 * The rules of docs/architecture.md that a machine can check. Each test lists what breaks its rule; the list must be empty.
 *
 * An exception is one line in FILE_EXCEPTIONS or FUNCTION_EXCEPTIONS, with its reason. One that is no longer needed fails.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { listStalePages } from '../scripts/reference.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const FILE_LINES_MAX = 300
const FUNCTION_LINES_MAX = 60

/** Path -> why it may be longer. */
const FILE_EXCEPTIONS: Record<string, string> = {}
/** `path#function` -> why it may be longer. */
const FUNCTION_EXCEPTIONS: Record<string, string> = {}

/** Folders that git ignores. */
const IGNORED = new Set(['node_modules', '.git', 'dist', '.venv', '.cache', 'coverage'])

function listFiles(folder = ''): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap(entry => {
    const path = posix.join(folder, entry.name)
    if (entry.isDirectory()) return IGNORED.has(entry.name) ? [] : listFiles(path)
    return entry.isFile() ? [path] : []
  })
}

interface Import {
  name: string
  /** Gone at run time. */
  isType: boolean
}

interface Source {
  path: string
  text: string
  tree: ts.SourceFile
  imports: Import[]
  isTest: boolean
}

const files = listFiles()
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const sources = files.filter(path => /\.(ts|mjs)$/.test(path)).map(toSource)
const shipped = sources.filter(source => source.path.startsWith('packages/') && !source.isTest)

function toSource(path: string): Source {
  const text = read(path)
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  return { path, text, tree, imports: listImports(tree), isTest: /\.(test|contract)\.ts$|\/testing\//.test(path) }
}

function listImports(tree: ts.SourceFile): Import[] {
  return nodesOf(tree).flatMap(node => {
    if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
      return [{ name: node.moduleSpecifier.text, isType: isTypeImport(node.importClause) }]
    }
    if (ts.isExportDeclaration(node) && node.moduleSpecifier && ts.isStringLiteral(node.moduleSpecifier)) {
      return [{ name: node.moduleSpecifier.text, isType: node.isTypeOnly }]
    }
    const isCall = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
    const argument = isCall ? node.arguments[0] : undefined
    return argument && ts.isStringLiteral(argument) ? [{ name: argument.text, isType: false }] : []
  })
}

function isTypeImport(clause: ts.ImportClause | undefined): boolean {
  if (!clause) return false
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true
  const named = clause.namedBindings
  return !clause.name && named !== undefined && ts.isNamedImports(named) && named.elements.every(element => element.isTypeOnly)
}

function nodesOf(node: ts.Node): ts.Node[] {
  const nodes: ts.Node[] = [node]
  for (const found of nodes) ts.forEachChild(found, child => void nodes.push(child))
  return nodes
}

const lineOf = (source: Source, position: number) => source.tree.getLineAndCharacterOfPosition(position).line + 1
const linesOf = (text: string) => text.replace(/\n$/, '').split('\n').length

describe('imports keep their direction', () => {
  const packageOf = (path: string) => path.split('/')[1] ?? ''
  const mayImport: Record<string, string[]> = { domain: [], server: ['domain'], client: ['domain'], web: ['client', 'domain'] }

  test('between packages: domain <- server, domain <- client <- web', () => {
    const wrong = shipped.flatMap(({ path, imports }) => {
      const own = packageOf(path)
      const allowed = new Set([own, ...(mayImport[own] ?? [])])
      const isWrong = ({ name }: Import) => {
        if (name.startsWith('@postil/')) return !allowed.has(packageOf(name))
        return name.startsWith('.') && packageOf(posix.join(dirname(path), name)) !== own
      }
      return imports.filter(isWrong).map(({ name }) => `${path} imports ${name}`)
    })
    expect(wrong).toEqual([])
  })

  test('domain is pure: the schema library, no Node, no clock, no chance', () => {
    const domain = shipped.filter(({ path }) => path.startsWith('packages/domain/'))
    const isForeign = ({ name }: Import) => !name.startsWith('.') && !/^typebox(\/|$)/.test(name)
    const effects = /\b(Date\.now\(|new Date\(\)|Math\.random\(|performance\.now\(|process\.|globalThis\.crypto)/
    const foreign = domain.flatMap(({ path, imports }) => imports.filter(isForeign).map(({ name }) => `${path} imports ${name}`))
    expect(foreign).toEqual([])
    expect(domain.filter(({ text }) => effects.test(text)).map(({ path }) => path)).toEqual([])
  })

  /** Inside the server, first match counts: files -> what they may import of the server. `./` is their own folder. */
  const STORE = '[\\w-]*store\\.ts'
  /** Leaves that several features share: opening a session, the row of a new user, reading settings, rows and wire forms of records, the search order, the text index. */
  const LEAVES =
    'features/audit-log/add|features/token/check-credentials|features/sessions/open|features/users/new-user|features/datasets/(settings|change-settings)|features/records/(rows|record-json)|features/responses/(recompute|change)|features/records/search-dataset|search/shuffle|search/source/(store-segment|build-segments|verify-segments)'
  const INSIDE: { from: RegExp; may: RegExp }[] = [
    { from: /^features\/all\.ts$/, may: /\/routes\.ts$/ },
    { from: /^features\/.+\/routes\.ts$/, may: new RegExp(`^(\\./(?!${STORE}$)|http/)`) },
    { from: new RegExp(`^features/.+/${STORE}$`), may: new RegExp(`^(\\./(?!${STORE}$|routes\\.ts$)|storage/|lib/)`) },
    // What owners may do with each kind of job stands beside the kinds.
    {
      from: /^features\/jobs\//,
      may: /^(\.\/(?!routes\.ts$)|features\/(bulk-jobs\/store|audit-log\/add)\.ts|storage\/|events\/emit\.ts|jobs\/|context\.ts)/,
    },
    {
      from: /^features\//,
      may: new RegExp(
        `^(\\./(?!routes\\.ts$)|features/[\\w-]+/${STORE}$|(${LEAVES})\\.ts$|storage/|events/emit\\.ts|jobs/queue\\.ts|lib/|(context|version)\\.ts)`,
      ),
    },
    {
      from: /^search\/(source|elastic)\//,
      may: new RegExp(`^(\\./|features/[\\w-]+/${STORE}$|features/datasets/settings\\.ts$|search/|storage/|lib/)`),
    },
    { from: /^search\/(embedded|elastic)\//, may: /^(\.\/|search\/|storage\/|lib\/)/ },
    { from: /^search\//, may: /^(\.\/|search\/|lib\/)/ },
    {
      from: /^events\/subscribers\//,
      may: new RegExp(
        `^(\\./|features/[\\w-]+/${STORE}$|features/datasets/settings\\.ts$|events/|search/|storage/|jobs/queue\\.ts|lib/)`,
      ),
    },
    // A migration must still run in three years: nothing of today's code.
    { from: /^storage\/migrations\//, may: /^\.\// },
    { from: /^storage\//, may: /^(\.\/|storage\/|events\/|lib\/)/ },
    { from: /^lib\//, may: /^(\.\/|lib\/)/ },
  ]

  test('inside the server: route -> use case -> leaves', () => {
    const prefix = 'packages/server/src/'
    const wrong = shipped.flatMap(({ path, imports }) => {
      const rule = INSIDE.find(({ from }) => path.startsWith(prefix) && from.test(path.slice(prefix.length)))
      const toTarget = (name: string) => {
        const target = posix.join(dirname(path), name)
        return dirname(target) === dirname(path) ? `./${basename(target)}` : target.slice(prefix.length)
      }
      // Types are gone at run time: naming one makes nothing depend on its file.
      const isWrong = ({ name, isType }: Import) => rule && !isType && name.startsWith('.') && !rule.may.test(toTarget(name))
      return imports.filter(isWrong).map(({ name }) => `${path} imports ${name}`)
    })
    expect(wrong).toEqual([])
  })
})

describe('one concept, one place', () => {
  test('the environment is read in config.ts only', () => {
    const reads = ({ text, imports }: Source) =>
      /\bprocess\s*(\?\.|\.)\s*env\b|\bprocess\[/.test(text) || imports.some(({ name }) => /^(node:)?process$/.test(name))
    // Handed on as a whole, with settings of glibc, to the same process begun anew.
    const passesOn = 'packages/server/src/lib/give-memory-back.ts'
    const wrong = shipped.filter(source => !['packages/server/src/config.ts', passesOn].includes(source.path) && reads(source))
    expect(wrong.map(({ path }) => path)).toEqual([])
  })

  test('no branch on settings.type outside questions, fields and metadata', () => {
    const isType = (node: ts.Node) => /\bsettings\s*(\?\.|\.)\s*type$/i.test(node.getText())
    const equalities = new Set(['===', '!==', '==', '!='])
    const isBranch = (node: ts.Node) => {
      if (ts.isSwitchStatement(node)) return isType(node.expression)
      return (
        ts.isBinaryExpression(node) && equalities.has(node.operatorToken.getText()) && (isType(node.left) || isType(node.right))
      )
    }
    const elsewhere = shipped.filter(({ path }) => !/\/(questions|fields|metadata)\//.test(path))
    const branches = elsewhere.flatMap(source =>
      nodesOf(source.tree)
        .filter(isBranch)
        .map(node => `${source.path}:${lineOf(source, node.pos)}`),
    )
    expect(branches).toEqual([])
  })
})

describe('sizes', () => {
  const unneeded = (exceptions: Record<string, string>, found: string[]) =>
    Object.keys(exceptions).filter(name => !found.includes(name))

  test(`files have up to ${FILE_LINES_MAX} lines`, () => {
    const long = sources.filter(({ text }) => linesOf(text) > FILE_LINES_MAX)
    expect(long.filter(({ path }) => !(path in FILE_EXCEPTIONS)).map(({ path, text }) => `${path}: ${linesOf(text)}`)).toEqual([])
    expect(
      unneeded(
        FILE_EXCEPTIONS,
        long.map(({ path }) => path),
      ),
    ).toEqual([])
  })

  test(`functions have up to ${FUNCTION_LINES_MAX} lines`, () => {
    const long = sources
      .filter(({ isTest }) => !isTest)
      .flatMap(source =>
        nodesOf(source.tree)
          .filter(ts.isFunctionLike)
          .flatMap(node => {
            const lines = isFactory(source, node) ? ownLines(source, node) : spanOf(source, node)
            return lines > FUNCTION_LINES_MAX ? [{ name: `${source.path}#${functionName(node)}`, lines }] : []
          }),
      )
    expect(long.filter(({ name }) => !(name in FUNCTION_EXCEPTIONS))).toEqual([])
    expect(
      unneeded(
        FUNCTION_EXCEPTIONS,
        long.map(({ name }) => name),
      ),
    ).toEqual([])
  })

  const spanOf = (source: Source, node: ts.Node) => lineOf(source, node.getEnd()) - lineOf(source, node.getStart()) + 1

  /** What others write as a class: state that some functions share, in the web UI called `openQueue` or `useZoom`. */
  const isFactory = ({ path }: Source, node: ts.SignatureDeclaration) =>
    path.startsWith('packages/web/') && /^(open|use)[A-Z]/.test(functionName(node))

  /** Without the functions declared inside, which are counted by themselves. */
  function ownLines(source: Source, node: ts.SignatureDeclaration): number {
    const inner = nodesOf(node).filter(one => one !== node && ts.isFunctionDeclaration(one))
    return spanOf(source, node) - inner.reduce((sum, one) => sum + spanOf(source, one), 0)
  }

  function functionName(node: ts.SignatureDeclaration): string {
    const owner =
      node.name ?? (ts.isVariableDeclaration(node.parent) || ts.isPropertyAssignment(node.parent) ? node.parent.name : null)
    return owner?.getText() ?? 'unnamed'
  }
})

describe('files', () => {
  test('are named by what is inside', () => {
    const vague = /(^|\/)(utils?|helpers?|common|managers?|base|impl)(\.[\w.]+)?(\/|$)/i
    expect(files.filter(path => vague.test(path))).toEqual([])
  })

  test('hold more than re-exports', () => {
    const isReExport = (node: ts.Statement) => ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined
    const barrels = sources.filter(({ tree }) => tree.statements.length > 0 && tree.statements.every(isReExport))
    expect(barrels.map(({ path }) => path).filter(path => path !== 'packages/client/src/index.ts')).toEqual([])
  })

  test('export by name', () => {
    const isDefault = (node: ts.Node) =>
      ts.isExportAssignment(node) ||
      (node.kind === ts.SyntaxKind.DefaultKeyword && node.parent.kind !== ts.SyntaxKind.DefaultClause) ||
      (ts.isExportSpecifier(node) && node.name.text === 'default')
    const wrong = sources.filter(
      ({ path, tree }) => !/(^|\/)(vite|vitest)\.config\.ts$/.test(path) && nodesOf(tree).some(isDefault),
    )
    expect(wrong.map(({ path }) => path)).toEqual([])
  })

  test('name no path of one machine and no registry', () => {
    const traces = [/(?<![\w.-])\/(wor[k]|roo[t])\//, /registry\.npm[j]s/i, /\bpyp[i]\.org/i, /pythonhoste[d]/i, /artifactor[y]/i]
    const registry = process.env.npm_config_registry
    const host = registry && URL.canParse(registry) ? new URL(registry).host : ''
    const isTraced = (text: string) => traces.some(trace => trace.test(text)) || (/\w\.\w/.test(host) && text.includes(host))
    const wrong = files.filter(path => !/\.(wasm|png|ico|woff2?|parquet)$/.test(path) && isTraced(read(path)))
    expect(wrong).toEqual([])
  })

  test('of dependencies are locked without an address', () => {
    expect(read('package-lock.json')).not.toMatch(/"resolved": "http/)
  })
})

describe('documents', () => {
  const decisions = files.filter(path => path.startsWith('docs/decisions/'))

  test.each(decisions)('%s has a number, a context, a choice and its consequences', path => {
    expect(basename(path)).toMatch(/^\d{4}-[a-z0-9-]+\.md$/)
    const headings = [...read(path).matchAll(/^## (.+)$/gm)].map(match => match[1])
    expect(headings).toEqual(expect.arrayContaining(['Context', 'Choice', 'Consequences']))
  })

  test('of the reference say what the source says (npm run reference)', () => {
    expect(listStalePages()).toEqual([])
  })
})
