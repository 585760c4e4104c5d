import type { Page } from 'playwright-core'
import type { Everything } from './everything.ts'

/** A newcomer leads nothing yet. */
export type Onlooker = 'nobody' | 'newcomer' | 'lead' | 'annotator' | 'owner'

/** A page in one of its states. */
export interface Screen {
  name: string
  as: Onlooker
  open(page: Page, everything: Everything): Promise<void>
  /** Puts back what would stand in the way of the next screen. */
  leave?(page: Page): Promise<void>
  /** There is no such thing on a phone. */
  isWide?: boolean
  /** New is only the dialog or menu that lies over another screen. */
  isOver?: boolean
}

export const settled = (page: Page) => page.waitForTimeout(200)
