/** `claw protocol` names everything that is on the wire, from the schemas themselves. */
import { assert, it } from "@effect/vitest"
import { codes } from "../../src/domain/ErrorCode.ts"
import { DurableBody, LiveBody } from "../../src/domain/Event.ts"
import { messages } from "../../src/protocol/ClientMessage.ts"
import { jsonSchemas, reference } from "../../src/protocol/Reference.ts"
import { ConnectionEvent } from "../../src/protocol/ServerEvent.ts"

const events = [...DurableBody.members, ...LiveBody.members, ...ConnectionEvent.members].map(
  ({ fields }) => fields.type.literal
)

it("the page has a section of every message and event, and a row of every code", () => {
  const page = reference({ message_bytes: 65_536 })
  for (const type of [...Object.keys(messages), ...events]) assert.include(page, `### \`${type}\`\n`)
  for (const code of codes) assert.include(page, `| \`${code}\` |`)
  assert.include(page, "| `message_bytes` | 65536 |")
  assert.include(page, '| `when_busy` | "reject" or "queue" or "steer" | no |')
  assert.notInclude(page, "| value |")
})

it("there is a JSON Schema of each", () => {
  const { client, server } = jsonSchemas() as Record<"client" | "server", object>
  assert.deepStrictEqual(Object.keys(client), Object.keys(messages))
  assert.deepStrictEqual(new Set(Object.keys(server)), new Set(["envelope", ...events]))
})
