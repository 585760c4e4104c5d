/** A fake GitHub: plain OAuth 2.0, a token endpoint that returns errors with status 200, and a user API. */
import { openCodes } from './codes.ts'
import { openHttpServer, readForm, sendJson } from './http-server.ts'

export interface GitHubUser {
  id: number
  login: string
  name?: string | null
  email?: string
}

export type GitHubServer = Awaited<ReturnType<typeof openGitHubServer>>

export const GITHUB_CLIENT = { client_id: 'postil', client_secret: 'a secret of github' }

export async function openGitHubServer() {
  const codes = openCodes<GitHubUser>()
  const users = new Map<string, GitHubUser>()
  const server = await openHttpServer(async (request, response, { pathname }) => {
    if (pathname === '/login/oauth/access_token') {
      const form = await readForm(request)
      const isClient = Object.entries(GITHUB_CLIENT).every(([name, value]) => form.get(name) === value)
      const granted = codes.redeem(form)
      if (!isClient || !granted) {
        sendJson(response, { error: 'bad_verification_code', error_description: 'The code passed is incorrect or expired.' })
        return
      }
      const access_token = `gho_${users.size}`
      users.set(`token ${access_token}`, granted.person)
      sendJson(response, { access_token, token_type: 'bearer', scope: '' })
    } else if (pathname === '/api/v3/user') {
      const user = users.get(request.headers.authorization ?? '')
      if (user) sendJson(response, user)
      else sendJson(response, { message: 'Bad credentials' }, 401)
    } else {
      sendJson(response, { message: 'Not Found' }, 404)
    }
  })
  return { ...server, grant: codes.grant }
}
