/** Row counts of each kind, and one hash over all rows, independent of their order. */
import { hash } from 'node:crypto'

export const KINDS = [
  'users',
  'workspaces',
  'memberships',
  'datasets',
  'annotators',
  'fields',
  'questions',
  'metadata_properties',
  'vectors_settings',
  'records',
  'responses',
  'suggestions',
  'vectors',
  'webhooks',
] as const
export type Kind = (typeof KINDS)[number]

const MODULUS = 1n << 128n

export interface Tally {
  add(kind: Kind, content: readonly unknown[]): void
  count(kind: Kind): number
  /** 32 hexadecimal digits: the sum of the hashes of all rows. */
  digest(kind: Kind): string
}

export function newTally(): Tally {
  const sums = new Map<Kind, { count: number; sum: bigint }>()
  const of = (kind: Kind) => sums.get(kind) ?? { count: 0, sum: 0n }
  return {
    add: (kind, content) => {
      const { count, sum } = of(kind)
      const line = BigInt(`0x${hash('sha256', JSON.stringify(content), 'hex').slice(0, 32)}`)
      sums.set(kind, { count: count + 1, sum: (sum + line) % MODULUS })
    },
    count: kind => of(kind).count,
    digest: kind => of(kind).sum.toString(16).padStart(32, '0'),
  }
}
