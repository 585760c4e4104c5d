/**
 * `npm run docs`: builds the documentation website into site/dist and checks every link in it.
 * `npm run docs -- --dev` serves it with live reload. Its tools have their own lock file, so that `npm start` does not install
 * them.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const SITE = fileURLToPath(new URL('../site', import.meta.url))
const PAGES = join(SITE, 'dist')

function run(command: string, args: readonly string[]): void {
  const { status } = spawnSync(command, args, { cwd: SITE, stdio: 'inherit', shell: process.platform === 'win32' })
  if (status !== 0) process.exit(status ?? 1)
}

function install(): void {
  const installed = join(SITE, 'node_modules/.package-lock.json')
  const isUpToDate = existsSync(installed) && statSync(installed).mtimeMs >= statSync(join(SITE, 'package-lock.json')).mtimeMs
  // Not `npm ci`, which fails if the registry lacks a package for another platform.
  if (!isUpToDate) run('npm', ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund'])
}

const listPages = () =>
  readdirSync(PAGES, { recursive: true, encoding: 'utf8' }).filter(path => path.endsWith('.html') && path !== '404.html')

/** Checks links to pages and to headings. VitePress itself checks only that pages exist. */
function listDeadLinks(): string[] {
  const texts = new Map(listPages().map(path => [path, readFileSync(join(PAGES, path), 'utf8')]))
  return [...texts].flatMap(([path, text]) =>
    [...text.matchAll(/<a [^>]*?href="([^"]+)"/g)].flatMap(([, href = '']) => {
      if (/^[a-z]+:/.test(href)) return []
      const url = new URL(href, `http://site/${path}`)
      const name = url.pathname.slice(1)
      const target = [name, `${name}.html`, join(name, 'index.html')].find(at => texts.has(at))
      if (target === undefined) return existsSync(join(PAGES, name)) ? [] : [`${path}: ${href}`]
      const id = decodeURIComponent(url.hash.slice(1))
      return id === '' || texts.get(target)?.includes(`id="${id}"`) ? [] : [`${path}: ${href}`]
    }),
  )
}

install()
if (process.argv.includes('--dev')) run('npx', ['vitepress', 'dev', '.'])
else {
  run('npx', ['vitepress', 'build', '.'])
  const dead = listDeadLinks()
  for (const link of dead) console.error(`dead link: ${link}`)
  console.log(`${listPages().length} pages in site/dist`)
  if (dead.length > 0) process.exit(1)
}
