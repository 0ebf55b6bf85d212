/**
 * The openai package, set up to do exactly one request. Owns: its options, and turning what it throws into our error.
 * Invariant: no retry and no time limit of its own, nothing read from the environment, nothing logged, no key sent
 * where none is set; the package, and the fetch of Node that it looks at, are loaded for a call and not before.
 */
import type { APIError, OpenAI } from "openai"
import type { ProviderError } from "../ProviderError.ts"
import type { Chunks } from "./encoder.ts"
import { type Peer, refusalError } from "./failure.ts"
import { networkError } from "./networkFailure.ts"
import { type Agents, type Exchange, makeFetch } from "./transport.ts"

/** The longest a timer can run: the package's limit is off, ours are in Deadlines.ts. */
const NEVER_MS = 2_147_483_647

/** What the package would tell every server about this machine. */
const SILENT = Object.fromEntries(
  ["Lang", "Package-Version", "OS", "Arch", "Runtime", "Runtime-Version", "Retry-Count", "Timeout"].map((name) => [
    `X-Stainless-${name}`,
    null
  ])
)

type Built = Awaited<ReturnType<OpenAI["buildRequest"]>>

/**
 * The package's own client, whose builder is asked once for each kind of request: all of them have the same head, and
 * putting it together took a tenth of what a turn allocates. The body goes its own way (transport.ts).
 */
const leanly = (Package: typeof OpenAI): typeof OpenAI =>
  class extends Package {
    readonly #built = new Map<string, Built>()

    override async buildRequest(...given: Parameters<OpenAI["buildRequest"]>): Promise<Built> {
      const [{ fetchOptions, headers, method, path }] = given
      const kind = `${method} ${path} ${JSON.stringify(headers ?? {})}`
      const known = this.#built.get(kind)
      if (known === undefined) {
        const made = await super.buildRequest(...given)
        this.#built.set(kind, { ...made, req: { headers: made.req.headers, method } })
        return made
      }
      return { ...known, req: { ...known.req, ...fetchOptions } as Built["req"] }
    }
  }

let loaded: typeof OpenAI | undefined
const load = async (): Promise<typeof OpenAI> => (loaded ??= (await import("openai")).OpenAI)

export interface Client {
  /** Sends a body that is JSON already; resolves with the head of the answer. Rejections are handled by the reader. */
  readonly post: (path: string, body: Chunks, exchange: Exchange, streaming: boolean) => Promise<Response>
  readonly get: (path: string, exchange: Exchange) => Promise<Response>
}

export const openClient = (
  base_url: string,
  key: string | undefined,
  headers: Readonly<Record<string, string>>,
  agents: Agents
): Client => {
  const open = (Package: typeof OpenAI) =>
    new (leanly(Package))({
      apiKey: key ?? "none",
      adminAPIKey: null,
      organization: null,
      project: null,
      webhookSecret: null,
      baseURL: base_url,
      maxRetries: 0,
      timeout: NEVER_MS,
      logLevel: "off",
      defaultHeaders: {
        ...SILENT,
        "User-Agent": "claw",
        "Content-Type": "application/json",
        ...headers,
        ...(key === undefined ? { Authorization: null } : {})
      },
      fetch: makeFetch(agents)
    })
  let client: Promise<OpenAI> | undefined
  const opened = () => (client ??= load().then(open))
  const watched = (response: Promise<Response>, exchange: Exchange): Promise<Response> => {
    response.catch(() => {
      exchange.failed = true
      exchange.onConnected?.()
    })
    return response
  }
  const options = (exchange: Exchange) => ({ fetchOptions: { exchange } as {} })
  return {
    post: (path, chunks, exchange, streaming) => {
      // The package hands bytes through as they are, but only one piece; the transport sends all of them.
      exchange.body = chunks
      const [body] = chunks
      const accept = streaming ? "text/event-stream" : "application/json"
      const headers = { "Content-Type": "application/json", Accept: accept }
      const call = { body, headers, ...options(exchange) }
      return watched(
        opened().then((ready) => ready.post(path, call).asResponse()),
        exchange
      )
    },
    get: (path, exchange) =>
      watched(
        opened().then((ready) => ready.get(path, options(exchange)).asResponse()),
        exchange
      )
  }
}

const isApiError = (error: unknown): error is APIError => loaded !== undefined && error instanceof loaded.APIError

/** What the package threw: an answer with a status, or none at all. */
export const callError = (error: unknown, peer: Peer, now_ms: number): ProviderError => {
  // What it threw, it has thrown since it was loaded.
  if (!isApiError(error) || error.status === undefined) return networkError(error, peer)
  const headers: unknown = error.headers
  const header = (name: string) => (headers instanceof Headers ? headers.get(name) : undefined)
  return refusalError({ status: error.status, error: error.error, header, now_ms }, peer)
}
