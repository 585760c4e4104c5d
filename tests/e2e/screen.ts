import type { Page } from 'playwright-core'
import type { Everything } from './everything.ts'

/** `newcomer` is an admin who does not belong to a workspace yet. */
export type Onlooker = 'nobody' | 'newcomer' | 'lead' | 'annotator' | 'owner'

/** A page in one of its states. */
export interface Screen {
  name: string
  as: Onlooker
  open(page: Page, everything: Everything): Promise<void>
  /** Resets state that would affect the next screen. */
  leave?(page: Page): Promise<void>
  /** True if it does not exist on phones. */
  isWide?: boolean
  /** True if only the dialog or menu over another screen is new. */
  isOver?: boolean
}

export const waitForLayout = (page: Page) => page.waitForTimeout(200)
