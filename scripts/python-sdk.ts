/** Installs the public Python SDK in its own virtual environments, for the tests that run it against our server. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type PythonEnvironment, preparePythonEnvironment } from './python-environment.ts'

const REQUIREMENTS = [
  'argilla==2.8.0',
  'huggingface_hub==0.24.7',
  'datasets==3.1.0',
  'httpx<0.28',
  'fastapi==0.115.14',
  'uvicorn==0.34.3',
  // The SDK's to_hub needs it for the dataset card, but does not install it.
  'Jinja2==3.1.6',
]

export const preparePythonSdk = (root: string): PythonEnvironment =>
  preparePythonEnvironment(root, { name: 'the Python SDK', folder: '.venv', requirements: REQUIREMENTS })

/** Installs the SDK like the README: with the newest dependencies at the time the environment is created. */
export function prepareReadmeSdk(root: string): PythonEnvironment {
  const [, packages = ''] = /^pip install (.+)$/m.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? []
  return preparePythonEnvironment(root, {
    name: 'the Python SDK as the README installs it',
    folder: '.cache/python-readme',
    requirements: packages.split(' '),
  })
}
