/** Authorization codes of a correct provider: valid once, for one redirect URI and one PKCE challenge. */
import { createHash, randomBytes } from 'node:crypto'

interface Granted<T> {
  person: T
  nonce: string | null
  challenge: string | null
  redirectUri: string | null
}

export function openCodes<T>() {
  const granted = new Map<string, Granted<T>>()
  return {
    /** Simulates the user's consent at the authorization URL. Returns the callback parameters. */
    grant: (location: string, person: T): { code: string; state: string } => {
      const { searchParams } = new URL(location)
      if (searchParams.get('code_challenge_method') !== 'S256') throw new Error('a sign-in without PKCE')
      const code = randomBytes(16).toString('hex')
      const [challenge, redirectUri] = [searchParams.get('code_challenge'), searchParams.get('redirect_uri')]
      granted.set(code, { person, nonce: searchParams.get('nonce'), challenge, redirectUri })
      return { code, state: searchParams.get('state') ?? '' }
    },
    /** Redeems a code. Returns null if it is invalid with these parameters of the token request. */
    redeem: (form: URLSearchParams): Granted<T> | null => {
      const found = granted.get(form.get('code') ?? '')
      granted.delete(form.get('code') ?? '')
      const challenge = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url')
      return found?.challenge === challenge && found.redirectUri === form.get('redirect_uri') ? found : null
    },
  }
}
