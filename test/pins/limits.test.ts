/** The limits that a client can meet, as they are where nothing is set (PROTOCOL §1; R188, R189). */
import { assert, it } from "@effect/vitest"
import { serverDefaults, strict } from "../../src/config/ServerSettings.ts"
import { WireLimits } from "../../src/protocol/ServerEvent.ts"

it("on loopback", () => {
  assert.deepStrictEqual(
    { ...serverDefaults.limit },
    {
      connections: 12000,
      connections_per_address: 12000,
      connections_per_principal: 12000,
      sessions_per_principal: 12000,
      tasks: 1000,
      tasks_waiting: 1000,
      queue_prompts: 200,
      queue_bytes: 4194304,
      prompts_per_minute: 6000,
      requests_per_second: 5000,
      messages_per_second: 500,
      bytes_per_second: 8388608,
      bad_tokens_per_minute: 5,
      message_bytes: 65536,
      message_depth: 32,
      handshake_ms: 10000,
      read_ms: 30000,
      write_ms: 10000,
      idle_ms: 0,
      heartbeat_ms: 30000,
      dead_ms: 75000,
      detach_ms: 60000,
      drain_ms: 30000,
      outbox_bytes: 1048576,
      outbox_events: 2048,
      http_body_bytes: 262144
    }
  )
})

it("beyond loopback", () => {
  assert.deepStrictEqual(strict, {
    connections: 2000,
    connections_per_address: 100,
    connections_per_principal: 20,
    sessions_per_principal: 50,
    tasks: 100,
    tasks_waiting: 100,
    queue_prompts: 20,
    queue_bytes: 524288,
    prompts_per_minute: 10,
    requests_per_second: 50,
    messages_per_second: 50,
    bytes_per_second: 262144,
    handshake_ms: 5000,
    idle_ms: 1800000
  })
})

it("what hello tells of them", () => {
  assert.deepStrictEqual(Object.keys(WireLimits.fields), [
    "message_bytes",
    "message_depth",
    "idle_ms",
    "heartbeat_ms",
    "detach_ms"
  ])
})
