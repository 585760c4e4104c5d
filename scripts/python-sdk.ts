/** The public Python SDK in a virtual environment of its own, for the tests that run it against our server. */
import { type PythonEnvironment, preparePythonEnvironment } from './python-environment.ts'

const REQUIREMENTS = [
  'argilla==2.8.0',
  'huggingface_hub==0.24.7',
  'datasets==3.1.0',
  'httpx<0.28',
  'fastapi==0.115.14',
  'uvicorn==0.34.3',
]

export const preparePythonSdk = (root: string): PythonEnvironment =>
  preparePythonEnvironment(root, { name: 'the Python SDK', folder: '.venv', requirements: REQUIREMENTS })
