import { openTestContext } from '../../testing/context.ts'
import { engineContract } from '../engine.contract.ts'

engineContract('embedded', () => openTestContext())
