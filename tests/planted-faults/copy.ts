import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { PlantedFault } from './list.ts'

/** A copy of the repository in a temporary folder, in which faults are planted. */
export interface Copy {
  folder: string
  /** Plants a fault, and returns the function that takes it out again. */
  plant(fault: PlantedFault): () => void
  close(): void
}

/** Folders of `node_modules` that runs write to, or whose links would lead back to the original. */
const OWN_FOLDERS = ['.cache', '@postil']

export function openCopy(root: string): Copy {
  const folder = mkdtempSync(join(tmpdir(), 'postil-faults-'))
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root })
  for (const path of listed.toString().split('\0')) {
    if (path === '' || !existsSync(join(root, path))) continue
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    cpSync(join(root, path), join(folder, path))
  }
  linkModules(join(root, 'node_modules'), join(folder, 'node_modules'))
  return {
    folder,
    plant: fault => plant(folder, fault),
    close: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  }
}

/** Links packages one by one: our own are in the copy, the others are shared. */
function linkModules(from: string, to: string): void {
  mkdirSync(to)
  for (const name of readdirSync(from)) if (!OWN_FOLDERS.includes(name)) symlinkSync(join(from, name), join(to, name))
  cpSync(join(from, '@postil'), join(to, '@postil'), { recursive: true, verbatimSymlinks: true })
}

function plant(folder: string, { id, file, find, replace }: PlantedFault): () => void {
  const path = join(folder, file)
  const text = readFileSync(path, 'utf8')
  const places = text.split(find).length - 1
  if (places !== 1) throw new Error(`Fault ${id}: its text must be in ${file} once, but is there ${places} times`)
  writeFileSync(
    path,
    text.replace(find, () => replace),
  )
  return () => writeFileSync(path, text)
}
