/** `claw protocol`: the wire as a page or as JSON Schemas. Owns: which of the two is printed. */
import { Effect, Schema } from "effect"
import { EXIT } from "../cli/Commands.ts"
import { Output } from "../cli/Output.ts"
import { Limit, serverDefaults, strict } from "../config/ServerSettings.ts"
import { jsonSchemas, type LimitRow, reference } from "../protocol/Reference.ts"

/** What a client can meet; the rest is between the server and its machine. */
const met = [
  "message_bytes",
  "message_depth",
  "messages_per_second",
  "bytes_per_second",
  "prompts_per_minute",
  "bad_tokens_per_minute",
  "tasks",
  "tasks_waiting",
  "queue_prompts",
  "queue_bytes",
  "requests_per_second",
  "connections",
  "connections_per_address",
  "connections_per_principal",
  "sessions_per_principal",
  "handshake_ms",
  "read_ms",
  "write_ms",
  "outbox_bytes",
  "outbox_events",
  "idle_ms",
  "heartbeat_ms",
  "dead_ms",
  "detach_ms",
  "drain_ms"
] as const satisfies ReadonlyArray<keyof typeof serverDefaults.limit>

/** Made when it is asked for: every other command starts without it. */
const limits = () => {
  const described = Schema.toJsonSchemaDocument(Limit).schema["properties"] as Readonly<
    Record<string, { readonly description?: string }>
  >
  return Object.fromEntries(
    met.map((name): [string, LimitRow] => {
      const value = serverDefaults.limit[name]
      return [name, { value, beyond: strict[name] ?? value, text: described[name]?.description ?? "" }]
    })
  )
}

export const showProtocol = Effect.fnUntraced(function* (schema: boolean) {
  const output = yield* Output
  yield* output.out(schema ? `${JSON.stringify(jsonSchemas(), undefined, 2)}\n` : reference(limits()))
  return EXIT.done
})
