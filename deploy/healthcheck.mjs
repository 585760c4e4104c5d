/** Exits with code 0 if the server in this container is ready, otherwise with 1. */
const { SERVICE_PORT = '6900', SERVICE_BASE_URL = '' } = process.env
const base = `/${SERVICE_BASE_URL}/`.replace(/\/{2,}/g, '/')
const url = `http://127.0.0.1:${SERVICE_PORT}${base}api/v1/health/ready`

try {
  const answer = await fetch(url, { signal: AbortSignal.timeout(4_000) })
  console.log(await answer.text())
  process.exitCode = answer.ok ? 0 : 1
} catch (error) {
  console.error(`${url}: ${error.message}`)
  process.exitCode = 1
}
