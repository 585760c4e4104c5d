/**
 * Preloaded into every thread of a server (`node --import`). Writes each outgoing connection attempt to the file in
 * RECORD_NETWORK_FILE. Listening does not count, nor does resolving an address without a DNS request.
 */
import dgram from 'node:dgram'
import dns from 'node:dns'
import { appendFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'

const file = process.env.RECORD_NETWORK_FILE ?? ''

type Method = (this: unknown, ...args: unknown[]) => unknown

function record(owner: object, name: string): void {
  const methods = owner as Record<string, Method>
  const original = methods[name] as Method
  methods[name] = function (...args) {
    const isAddress = name === 'lookup' && net.isIP(String(args[0])) !== 0
    if (!isAddress)
      appendFileSync(file, `${name} ${JSON.stringify(args.filter(arg => typeof arg !== 'function')).slice(0, 300)}\n`)
    return original.apply(this, args)
  }
}

record(net.Socket.prototype, 'connect')
record(dgram.Socket.prototype, 'send')
record(dgram.Socket.prototype, 'connect')
for (const lookups of [dns, dns.promises]) {
  for (const name of ['lookup', 'lookupService', 'resolve', 'resolve4', 'resolve6', 'resolveAny', 'reverse'])
    record(lookups, name)
}
syncBuiltinESMExports()
appendFileSync(file, 'recording\n')
