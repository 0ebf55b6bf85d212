/** Each limit of the server has a name, a variable that sets it and nothing else, and a line in what is printed (R233). */
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as AppConfig from "../../src/config/AppConfig.ts"
import { settingsFrom, variables } from "../../src/config/environment.ts"
import { Limit, serverDefaults } from "../../src/config/ServerSettings.ts"
import { defaults } from "../../src/config/Settings.ts"

const names = Object.keys(serverDefaults.limit) as ReadonlyArray<keyof typeof serverDefaults.limit>
const variableOf = (name: string) => `CLAW_LIMIT_${name.toUpperCase()}`

interface Described {
  readonly description?: string
  readonly default?: number
  readonly allOf?: ReadonlyArray<{ readonly minimum?: number; readonly maximum?: number }>
}
const described = Schema.toJsonSchemaDocument(Limit).schema["properties"] as Readonly<Record<string, Described>>

describe("a limit of the server", () => {
  for (const name of names) {
    it(`${name} is set by ${variableOf(name)}, and says what it is`, () => {
      const value = serverDefaults.limit[name] + 1
      const env = { HOME: "/nonexistent", [variableOf(name)]: String(value) }
      assert.deepStrictEqual(Result.getOrThrow(settingsFrom(env)), { limit: { [name]: value } })
      const { limit } = Result.getOrThrow(AppConfig.load({ workspace: "/", env }))
      assert.deepStrictEqual(limit, { ...serverDefaults.limit, [name]: value })
      assert.match(described[name]?.description ?? "", /^[A-Z].*\.$/)
      assert.strictEqual(described[name]?.default, serverDefaults.limit[name])
    })
  }

  it("is every one that the schema has, and every variable of that prefix is one, or a task's or a call's", () => {
    assert.deepStrictEqual(Object.keys(described).toSorted(), names.toSorted())
    const others = [...Object.keys(defaults.limits), ...Object.keys(defaults.deadlines)]
    const optional = ["context_window_tokens", "output_tokens"]
    const known = new Set([...names, ...others, ...optional].map(variableOf))
    const there = Array.from(variables.keys()).filter((name) => name.startsWith("CLAW_LIMIT_"))
    assert.deepStrictEqual(there.toSorted(), Array.from(known).toSorted())
  })
})
