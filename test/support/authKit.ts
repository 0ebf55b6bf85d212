/** The server's authentication over the memory store and the test's clock, with what it logs. */
import { Effect, Layer, Logger, Redacted } from "effect"
import type { IncomingHttpHeaders } from "node:http"
import { Authenticator } from "../../src/channel/Authenticator.ts"
import * as AppConfig from "../../src/config/AppConfig.ts"
import type { ConfigFile } from "../../src/config/Settings.ts"
import type { Owner } from "../../src/domain/Principal.ts"
import * as Authentication from "../../src/server/Authentication.ts"
import { Auth } from "../../src/server/Auth.ts"
import { ownOrigins } from "../../src/server/Origins.ts"
import { layerMemory } from "../../src/store/memory/MemoryStore.ts"
import { type NewToken, TokenStore } from "../../src/store/TokenStore.ts"

export const ada: Owner = { tenant: "acme", project: "web", user: "ada" }
export const spec: NewToken = { name: "laptop", owner: ada, role: "member" }
export const HOME = "http://127.0.0.1:8081"
export const ADDRESS = "192.0.2.1"

export interface Kit {
  readonly server?: NonNullable<ConfigFile["server"]>
  readonly tls?: boolean
  /** Tokens that exist before the server starts. */
  readonly existing?: ReadonlyArray<NewToken>
  /** Takes every log line, as JSON. */
  readonly log?: Array<string>
}

const lines = (log: Array<string>) =>
  Logger.layer([
    Logger.make(({ message, cause, logLevel }) => {
      log.push(JSON.stringify({ logLevel, message, cause: String(cause) }))
    })
  ])

/** One start of the server over whatever store there is. */
export const starting = ({ server = {}, tls = false, existing = [] }: Kit = {}) => {
  const config = AppConfig.layerWith({ server })
  const own = ownOrigins(
    { addresses: [server.host ?? "127.0.0.1"], port: 8081, tls },
    { allowed_hosts: [], allowed_origins: [], behind_proxy: false, ...server }
  )
  const made = Layer.effectDiscard(
    Effect.flatMap(TokenStore, (tokens) => Effect.forEach(existing, (each) => tokens.create(each)))
  )
  return Authentication.layer({ own: () => own }).pipe(Layer.provide([config, made]))
}

export const layer = (kit: Kit = {}) =>
  starting(kit).pipe(Layer.provideMerge(layerMemory), Layer.provideMerge(lines(kit.log ?? [])))

/** A token in the clear, as `claw token create` printed it. */
export const newToken = (change: Partial<NewToken> = {}) =>
  Effect.gen(function* () {
    const { token, secret } = yield* (yield* TokenStore).create({ ...spec, ...change })
    return { token, secret: Redacted.value(secret) }
  })

export const authenticate = (token: string, address = ADDRESS) =>
  Effect.flatMap(Authenticator, (service) => service.authenticate(token, address))

/** The code with which a token is refused. */
export const refusal = (token: string, address = ADDRESS) =>
  Effect.map(Effect.flip(authenticate(token, address)), (error) => error.code)

/** As a page sends it: it asks for the name that it came from. */
const asked = (headers: IncomingHttpHeaders) => ({
  headers: { host: (headers.origin ?? HOME).replace(/^https?:\/\//, ""), ...headers },
  address: ADDRESS
})

export const recognise = (headers: IncomingHttpHeaders) =>
  Effect.flatMap(Auth, (auth) => auth.recognise(asked(headers)))

export const login = (token: string, headers: IncomingHttpHeaders = { origin: HOME }) =>
  Effect.flatMap(Auth, (auth) => auth.login(token, asked(headers)))

export const logout = (headers: IncomingHttpHeaders) => Effect.flatMap(Auth, (auth) => auth.logout(asked(headers)))

/** What a browser sends back of a `Set-Cookie` value. */
export const cookieOf = (set: string): string => set.split(";", 1)[0] ?? ""
