/**
 * Compiles scan.wat to scan.wasm. The result is committed, so the compiler is needed only here. Run `node compile.ts` after a
 * change.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import openWabt from 'wabt'

export async function compileScan(): Promise<Uint8Array> {
  const source = readFileSync(new URL('./scan.wat', import.meta.url), 'utf8')
  const wabt = await openWabt()
  const module = wabt.parseWat('scan.wat', source, { simd: true })
  try {
    module.validate()
    return module.toBinary({}).buffer
  } finally {
    module.destroy()
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(new URL('./scan.wasm', import.meta.url), await compileScan())
}
