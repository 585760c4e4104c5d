import { describe } from 'vitest'
import { takeDesk } from './desk.ts'
import { testFlows } from './flows.ts'
import { testOffline, testTemplates } from './flows-apart.ts'
import { openWebKit } from './webkit.ts'

describe('WebKit', () => {
  takeDesk(openWebKit)
  testFlows()
  testOffline()
  testTemplates()
})
