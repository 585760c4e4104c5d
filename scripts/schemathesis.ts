/** Installs Schemathesis, which generates requests from the API description, in its own virtual environment. */
import { type PythonEnvironment, preparePythonEnvironment } from './python-environment.ts'

/**
 * The last version for Python 3.9. The libraries that generate values are pinned too, so that a seed produces the same requests
 * everywhere.
 */
const REQUIREMENTS = ['schemathesis==4.4.4', 'hypothesis==6.141.1', 'hypothesis-jsonschema==0.23.1', 'jsonschema==4.25.1']

export const prepareSchemathesis = (root: string): PythonEnvironment =>
  preparePythonEnvironment(root, { name: 'Schemathesis', folder: '.cache/schemathesis', requirements: REQUIREMENTS })
