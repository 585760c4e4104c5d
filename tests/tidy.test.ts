/**
 * Rules of docs/architecture.md that can be checked automatically. Each test expects an empty list of violations.
 *
 * An exception is one line in FILE_EXCEPTIONS or FUNCTION_EXCEPTIONS, with its reason. Unused exceptions fail.
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

/** Reason why a file may be longer, by path. */
const FILE_EXCEPTIONS: Record<string, string> = {}
/** Reason why a function may be longer, by `path#function`. */
const FUNCTION_EXCEPTIONS: Record<string, string> = {}

/** What git ignores; `.git` is a file in a further work tree. */
const IGNORED = new Set(['node_modules', '.git', 'dist', '.venv', '.cache', '.temp', 'coverage'])

function listFiles(folder = ''): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap(entry => {
    const path = posix.join(folder, entry.name)
    if (IGNORED.has(entry.name)) return []
    if (entry.isDirectory()) return listFiles(path)
    return entry.isFile() ? [path] : []
  })
}

interface Import {
  name: string
  /** True for type-only imports, which do not exist at run time. */
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
  const MAY = 'server:domain server:terminal client:domain cli:client cli:domain cli:terminal web:client web:domain'.split(' ')

  test('between packages: domain <- server, domain <- client <- web and cli', () => {
    const wrong = shipped.flatMap(({ path, imports }) => {
      const own = packageOf(path)
      const isWrong = ({ name }: Import) => {
        if (name.startsWith('@postil/')) return packageOf(name) !== own && !MAY.includes(`${own}:${packageOf(name)}`)
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

  /** Allowed imports inside the server: files -> server files. The first match applies. `./` is the file's own folder. */
  const STORE = '[\\w-]*store\\.ts'
  /** Files that several features may import, such as opening a session, rows of records and shared code of exports. */
  const LEAVES =
    'features/audit-log/add|features/token/check-credentials|features/sessions/open|features/users/new-user|features/names/check|features/workspaces/ensure|features/datasets/(settings|change-settings|speculative-read)|features/exports/(export-file|parquet|read-records|run)|features/files/(append|read|uploads)|features/hub/(card|convert|failures|hub-features|jobs|separate-connection|read-parquet|store-batch)|features/imports/(jobs|run|tables/[\\w-]+)|http/json|jobs/notice|features/records/(rows|record-json|ask-engine|check-item|create-bulk|prepare|prepared-bytes|relations|upsert-bulk)|features/responses/(recompute|change)|features/records/(search-dataset|similar-record)|search/(shuffle|grow|embedded/lru-cache|source/follow)|search/source/(store-segment|build-segments|verify-segments)'
  const INSIDE: { from: RegExp; may: RegExp }[] = [
    { from: /^features\/all\.ts$/, may: /\/routes\.ts$/ },
    { from: /^features\/.+\/routes\.ts$/, may: new RegExp(`^(\\./(?!${STORE}$)|http/)`) },
    { from: new RegExp(`^features/.+/${STORE}$`), may: new RegExp(`^(\\./(?!${STORE}$|routes\\.ts$)|storage/|lib/)`) },
    // What owners may do with each kind of job is defined next to the kinds.
    {
      from: /^features\/jobs\//,
      may: /^(\.\/(?!routes\.ts$)|features\/(bulk-jobs\/store|audit-log\/add)\.ts|storage\/|events\/emit\.ts|jobs\/|context\.ts)/,
    },
    {
      from: /^features\//,
      may: new RegExp(
        `^(\\./(?!routes\\.ts$)|features/[\\w-]+/${STORE}$|(${LEAVES}|features/records/remove|features/suggestions/log)\\.ts$|storage/|events/emit\\.ts|jobs/queue\\.ts|lib/|(context|version)\\.ts)`,
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
    // A migration must still run in three years, so it may not import current code. Skeletons must be those that the code computes.
    { from: /^storage\/migrations\//, may: /^(\.\/|lib\/skeleton-hash\.ts$)/ },
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
      // Types do not exist at run time, so importing one is not a dependency.
      const isWrong = ({ name, isType }: Import) => rule && !isType && name.startsWith('.') && !rule.may.test(toTarget(name))
      return imports.filter(isWrong).map(({ name }) => `${path} imports ${name}`)
    })
    expect(wrong).toEqual([])
  })
})

describe('one concept, one place', () => {
  test('the environment is read in config.ts and in environment.ts of the command line only', () => {
    const reads = ({ text, imports }: Source) =>
      /\bprocess\s*(\?\.|\.)\s*env\b|\bprocess\[/.test(text) || imports.some(({ name }) => /^(node:)?process$/.test(name))
    // give-memory-back.ts passes the whole environment, with glibc settings, to the process that it restarts.
    const may = ['server/src/config.ts', 'cli/src/environment.ts', 'server/src/lib/malloc-settings.ts']
    const wrong = shipped.filter(source => !may.includes(source.path.slice('packages/'.length)) && reads(source))
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

  /** A function with shared state instead of a class, called `openQueue` or `useZoom` in the web UI. */
  const isFactory = ({ path }: Source, node: ts.SignatureDeclaration) =>
    path.startsWith('packages/web/') && /^(open|use)[A-Z]/.test(functionName(node))

  /** Counts the lines without nested functions, which are counted separately. */
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
    // Vite, Vitest and VitePress read default exports.
    const isRead = (path: string) => /(^|\/)(vite|vitest)\.config\.ts$|^site\/\.vitepress\//.test(path)
    const wrong = sources.filter(({ path, tree }) => !isRead(path) && nodesOf(tree).some(isDefault))
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
