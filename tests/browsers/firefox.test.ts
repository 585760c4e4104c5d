import { describe } from 'vitest'
import { takeDesk } from './desk.ts'
import { openFirefox } from './firefox.ts'
import { testFlows } from './flows.ts'
import { testOffline, testTemplates } from './flows-apart.ts'

describe('Firefox', () => {
  takeDesk(openFirefox)
  testFlows()
  testOffline()
  testTemplates()
})
