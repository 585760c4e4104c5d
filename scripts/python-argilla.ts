/** Installs the public Argilla server in its own virtual environment, for the test that imports its database. */
import { type PythonEnvironment, preparePythonEnvironment } from './python-environment.ts'

/** The server does not pin all of these. `fakeredis` is an in-process Redis, which the server only needs to start. */
const REQUIREMENTS = ['argilla-server==2.8.0', 'fakeredis==2.40.0', 'setuptools<81']

export const preparePythonArgilla = (root: string): PythonEnvironment =>
  preparePythonEnvironment(root, { name: 'the Argilla server', folder: '.cache/python-argilla', requirements: REQUIREMENTS })
