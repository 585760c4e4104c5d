/** Schemathesis, which makes requests from the API description, in a virtual environment of its own. */
import { type PythonEnvironment, preparePythonEnvironment } from './python-environment.ts'

/** The last version for Python 3.9. What generates values is pinned too, so that a seed means the same requests everywhere. */
const REQUIREMENTS = ['schemathesis==4.4.4', 'hypothesis==6.141.1', 'hypothesis-jsonschema==0.23.1', 'jsonschema==4.25.1']

export const prepareSchemathesis = (root: string): PythonEnvironment =>
  preparePythonEnvironment(root, { name: 'Schemathesis', folder: '.cache/schemathesis', requirements: REQUIREMENTS })
