/** An issuer's own pages: who comes to sign in goes back with a code, and a code with its verifier is worth one ID token. */
import { createHash } from "node:crypto"
import type { ServerResponse } from "node:http"
import { Effect } from "effect"
import { DISCOVERY, type FakeIssuer, KEYS, type SignOptions } from "./fakeIssuer.ts"

export const CLIENT = "console"

const json = (response: ServerResponse, status: number, value: object) =>
  void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value))

const bodyOf = async (response: ServerResponse): Promise<URLSearchParams> => {
  const parts: Array<Buffer> = []
  for await (const part of response.req) parts.push(part as Buffer)
  return new URLSearchParams(Buffer.concat(parts).toString())
}

interface Visit {
  readonly nonce: string
  readonly challenge: string
}

export const withLogin = ({ issuer, instead, sign }: FakeIssuer) => {
  const visits = new Map<string, Visit>()
  let otherwise: SignOptions = {}
  const document = {
    issuer,
    jwks_uri: `${issuer}${KEYS}`,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
    id_token_signing_alg_values_supported: ["ES256"]
  }
  const tokenFor = async (asked: URLSearchParams): Promise<string | undefined> => {
    const code = asked.get("code") ?? ""
    const visit = visits.get(code)
    visits.delete(code)
    const challenge = createHash("sha256")
      .update(asked.get("code_verifier") ?? "")
      .digest("base64url")
    if (visit?.challenge !== challenge || asked.get("client_id") !== CLIENT) return undefined
    const now = Math.floor(Date.now() / 1000)
    const { claims, ...rest } = otherwise
    const said = { iat: now, nonce: visit.nonce, ...claims }
    return await Effect.runPromise(sign({ audience: CLIENT, expires: now + 300, ...rest, claims: said }))
  }
  instead.set(DISCOVERY, (response) => json(response, 200, document))
  instead.set("/token", (response) => {
    void bodyOf(response)
      .then(tokenFor)
      .then((id_token) =>
        id_token === undefined
          ? json(response, 400, { error: "invalid_grant" })
          : json(response, 200, { access_token: "a", token_type: "bearer", id_token })
      )
  })
  return {
    /** The query with which the browser comes back from `location`. */
    visit: (location: string): string => {
      const asked = new URL(location).searchParams
      const code = crypto.randomUUID()
      visits.set(code, { nonce: asked.get("nonce") ?? "", challenge: asked.get("code_challenge") ?? "" })
      return `?${new URLSearchParams({ code, state: asked.get("state") ?? "", authuser: "0" }).toString()}`
    },
    /** What the next ID tokens say otherwise. */
    says: (options: SignOptions) => void (otherwise = options)
  }
}
