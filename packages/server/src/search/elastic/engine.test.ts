import { test } from 'vitest'
import { engineContract } from '../engine.contract.ts'
import { openClusterContext, TEST_CLUSTER } from './testing/cluster.ts'

if (TEST_CLUSTER) engineContract(TEST_CLUSTER.name, () => openClusterContext())
else test.skip('a search cluster passes the engine suite (POSTIL_TEST_ENGINE, POSTIL_TEST_ENGINE_URL)', () => {})
