/** Installs the 1.x Python client in its own virtual environment, for the tests that run it against the legacy routes. */
import { type PythonEnvironment, preparePythonEnvironment } from './python-environment.ts'

/** The client does not limit these versions, but later ones removed what it imports. */
const REQUIREMENTS = ['argilla==1.29.1', 'httpx<0.28', 'pandas<3', 'setuptools<81']

export const preparePythonLegacy = (root: string): PythonEnvironment =>
  preparePythonEnvironment(root, { name: 'the 1.x Python client', folder: '.cache/python-legacy', requirements: REQUIREMENTS })
