/**
 * Settings of `claw serve`, with their limits. Owns: where it listens, whom it trusts, and every limit of the server.
 * Invariant: each limit has a name here and a variable `CLAW_LIMIT_…`; what is not set is generous on loopback, where
 * one person is served, and `strict` beyond it.
 */
import { Schema } from "effect"
import { ScopeName } from "../domain/Principal.ts"
import { dollars, type Filled, int, key, text, url } from "./schemaParts.ts"

export const serverDefaults = {
  server: {
    host: "127.0.0.1",
    tcp_port: 8080,
    http_port: 8081,
    auth: true,
    behind_proxy: false,
    allowed_origins: [],
    allowed_hosts: [],
    trusted_proxies: []
  },
  limit: {
    connections: 12_000,
    connections_per_address: 12_000,
    connections_per_principal: 12_000,
    sessions_per_principal: 12_000,
    tasks: 1000,
    tasks_waiting: 1000,
    queue_prompts: 200,
    queue_bytes: 4_194_304,
    prompts_per_minute: 6000,
    requests_per_second: 5000,
    messages_per_second: 500,
    bytes_per_second: 8_388_608,
    bad_tokens_per_minute: 5,
    message_bytes: 65_536,
    message_depth: 32,
    handshake_ms: 10_000,
    read_ms: 30_000,
    write_ms: 10_000,
    idle_ms: 0,
    heartbeat_ms: 30_000,
    dead_ms: 75_000,
    detach_ms: 60_000,
    drain_ms: 30_000,
    outbox_bytes: 1_048_576,
    outbox_events: 2048,
    http_body_bytes: 262_144
  }
} as const

const { server, limit } = serverDefaults
const hour = 3_600_000
export type ServerNeeds = keyof typeof server

const port = (fallback: number, description: string) => int(0, 65_535, fallback, `${description} 0: a free one.`)
const names = (description: string) => key(Schema.Array(text).annotate({ default: [] }), description)

/** Of one tenant, in the place of `limits.tenant_day_…`. */
const Tenant = Schema.Struct({
  day_tokens: int(0, 1_000_000_000_000, 0, "Tokens in and out that its sessions may use on a day (UTC); 0: no limit."),
  day_cost_usd: dollars(0, "US dollars that its sessions may cost on a day (UTC); 0: no limit.")
})

/** `claw serve`: where it listens and whom it trusts. */
export const Server = Schema.Struct({
  host: key(text.annotate({ default: server.host }), "Address to listen on; beyond loopback it needs auth and TLS."),
  tcp_port: port(server.tcp_port, "Port of JSON lines over TCP."),
  http_port: port(server.http_port, "Port of HTTP, WebSocket and the console."),
  auth: key(Schema.Boolean.annotate({ default: server.auth }), "Whether a token is needed; false only on loopback."),
  behind_proxy: key(
    Schema.Boolean.annotate({ default: server.behind_proxy }),
    "A proxy in front ends TLS: listening beyond loopback without certificates is meant."
  ),
  allowed_origins: names("Origins of web pages, beside the server's own, that may connect: `https://console.example`."),
  allowed_hosts: names("Names, beside its own addresses, under which the server may be asked: `claw.example:443`."),
  trusted_proxies: names("Addresses of proxies whose X-Forwarded-For and X-Forwarded-Proto are believed."),
  tls_cert: key(text, "File of the certificate chain (PEM); read again when it changes."),
  tls_key: key(text, "File of its private key (PEM)."),
  oidc_issuer: key(url, "Issuer whose JWTs are accepted; its keys come from its discovery document."),
  oidc_audience: key(text, "Audience that a JWT must name."),
  oidc_client_id: key(text, "What the console is at the issuer, to sign in there: a public client with PKCE."),
  oidc_jwks_url: key(url, "Where the issuer's keys are, where it has no discovery document."),
  oidc_tenant_claim: key(text, "Claim that names the tenant; absent: `tenant`."),
  oidc_project_claim: key(text, "Claim that names the project; absent: `project`."),
  oidc_role_claim: key(text, "Claim that names the role; absent: `role`."),
  tenants: key(
    Schema.Record(ScopeName, Tenant),
    "By name of a tenant: what it may spend, in the place of limits.tenant_day_tokens and .tenant_day_cost_usd."
  )
})

const day = 24 * hour
const many = 1_000_000
/** Every limit of the server. What is not set is generous on loopback and `strict` beyond it. */
export const Limit = Schema.Struct({
  connections: int(1, many, limit.connections, "Connections at once."),
  connections_per_address: int(1, many, limit.connections_per_address, "Connections at once from one address."),
  connections_per_principal: int(1, many, limit.connections_per_principal, "Connections at once of one principal."),
  sessions_per_principal: int(1, many, limit.sessions_per_principal, "Sessions of one principal in memory at once."),
  tasks: int(1, many, limit.tasks, "Tasks that run at once; further ones wait, and are told their place."),
  tasks_waiting: int(0, many, limit.tasks_waiting, "Tasks that may wait; further prompts are refused."),
  queue_prompts: int(0, many, limit.queue_prompts, "Prompts that may wait in one session; further ones are refused."),
  queue_bytes: int(0, 1_000_000_000, limit.queue_bytes, "Bytes of the prompts that may wait in one session."),
  prompts_per_minute: int(1, many, limit.prompts_per_minute, "Prompts of one principal in a minute."),
  requests_per_second: int(1, many, limit.requests_per_second, "HTTP requests of one principal in a second."),
  messages_per_second: int(1, many, limit.messages_per_second, "Messages of one connection in a second."),
  bytes_per_second: int(1024, 1_000_000_000, limit.bytes_per_second, "Bytes of one connection in a second."),
  bad_tokens_per_minute: int(1, 10_000, limit.bad_tokens_per_minute, "Wrong tokens from one address in a minute."),
  message_bytes: int(256, 67_108_864, limit.message_bytes, "Bytes of one message from a client."),
  message_depth: int(1, 256, limit.message_depth, "Nesting of one message from a client."),
  handshake_ms: int(1, hour, limit.handshake_ms, "Milliseconds until a connection that must sign in has done so."),
  read_ms: int(1, hour, limit.read_ms, "Milliseconds for the rest of a message that has begun to arrive."),
  write_ms: int(1, hour, limit.write_ms, "Milliseconds that a reader may let the oldest event wait."),
  idle_ms: int(0, day, limit.idle_ms, "Milliseconds a connection may be silent while nothing runs; 0: for ever."),
  heartbeat_ms: int(10, hour, limit.heartbeat_ms, "Milliseconds between heartbeats."),
  dead_ms: int(20, hour, limit.dead_ms, "Milliseconds of silence after which a peer that owes a heartbeat is dead."),
  detach_ms: int(0, day, limit.detach_ms, "Milliseconds that a detached session's task goes on without anybody."),
  drain_ms: int(0, hour, limit.drain_ms, "Milliseconds that an ending server gives running tools."),
  outbox_bytes: int(4096, 1_000_000_000, limit.outbox_bytes, "Bytes that may wait for one reader."),
  outbox_events: int(16, many, limit.outbox_events, "Events that may wait for one reader."),
  http_body_bytes: int(1024, 67_108_864, limit.http_body_bytes, "Bytes of one HTTP request's body.")
})

/** Where the server listens beyond loopback and nothing else is said. */
export const strict: Partial<Filled<typeof Limit>> = {
  connections: 2000,
  connections_per_address: 100,
  connections_per_principal: 20,
  sessions_per_principal: 50,
  tasks: 100,
  tasks_waiting: 100,
  queue_prompts: 20,
  queue_bytes: 524_288,
  prompts_per_minute: 10,
  requests_per_second: 50,
  messages_per_second: 50,
  bytes_per_second: 262_144,
  handshake_ms: 5000,
  idle_ms: 1_800_000
}
