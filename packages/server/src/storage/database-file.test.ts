import { expect, test } from 'vitest'
import { readMountPoints } from './database-file.ts'

test('mount points are read from the list of the system', () => {
  const list = String.raw`
22 27 0:20 / /proc rw,nosuid - proc proc rw
42 27 254:0 /home/of/postil.db /data/my\040files/a\134b/postil.db rw,relatime shared:7 - ext4 /dev/vda rw`
  expect(readMountPoints(list)).toEqual(['', '/proc', '/data/my files/a\\b/postil.db'])
})
