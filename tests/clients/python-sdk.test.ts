/** The unmodified public Python SDK against a real server. The tests are in `python_sdk/`. */
import { OFFLINE, testPython } from './python-runner.ts'

testPython({ folder: 'python_sdk', open: async () => ({ env: OFFLINE }) })
