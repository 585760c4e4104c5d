import { openTestContext } from '../../testing/context.ts'
import { eachDatabase } from '../../testing/databases.ts'
import { engineContract } from '../engine.contract.ts'
import { contextOn } from '../source/testing/dataset.ts'

eachDatabase(db => engineContract('embedded', async () => contextOn(await openTestContext(), db())))
