/** One table: the schema that is printed, the defaults that hold, the version, and the modes of the gate agree. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { Mode } from "../../src/approval/ApprovalGate.ts"
import * as AppConfig from "../../src/config/AppConfig.ts"
import { type modes, configSchema, defaults } from "../../src/config/Settings.ts"
import { version } from "../../src/config/Version.ts"

interface Node {
  readonly default?: unknown
  readonly description?: string
  readonly type?: string
  readonly properties?: Readonly<Record<string, Node>>
  readonly items?: Node
  readonly additionalProperties?: boolean
}

const leaves = (node: Node, path: string): ReadonlyArray<readonly [string, Node]> =>
  node.properties === undefined
    ? [[path, node]]
    : Object.entries(node.properties).flatMap(([name, child]) => leaves(child, path === "" ? name : `${path}.${name}`))

const schema = configSchema() as Node

describe("configuration schema", () => {
  it("names the default that really holds, for every key that has one", () => {
    const config = Result.getOrThrow(AppConfig.load({ workspace: "/nonexistent", env: { HOME: "/nonexistent" } }))
    const value = (path: string) =>
      path.split(".").reduce<unknown>((at, name) => (at as Readonly<Record<string, unknown>>)[name], config)
    const named = leaves(schema, "").filter(([, node]) => node.default !== undefined)
    assert.deepStrictEqual(
      named.map(([path]) => [path, value(path)]),
      named.map(([path, node]) => [path, node.default])
    )
    const numbers = [defaults.deadlines, defaults.retry, defaults.limits].flatMap(Object.keys)
    assert.isAbove(named.length, numbers.length)
  })

  it("describes every key, and a number with its unit", () => {
    const unit =
      /Milliseconds|Tokens|turns|Tools|calls|units|Bytes|Port|Connections|Sessions|Tasks|Prompts|Messages|requests|Nesting|tokens|Events|Processes|Mebibytes|Days/
    for (const [path, node] of leaves(schema, "")) {
      assert.isString(node.description, path)
      if (node.type === "integer") assert.match(node.description ?? "", unit, path)
    }
  })

  it("refuses keys it does not know, at every level", () => {
    const closed = (node: Node): boolean =>
      (node.properties === undefined || node.additionalProperties === false) &&
      Object.values(node.properties ?? {}).every(closed) &&
      (node.items === undefined || closed(node.items))
    assert.isTrue(closed(schema))
  })

  it("has the gate's modes", () => {
    const same: [Mode, (typeof modes)[number]] extends [(typeof modes)[number], Mode] ? true : false = true
    assert.isTrue(same)
  })
})

describe("version", () => {
  it("is that of package.json", () => {
    const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
      version: string
    }
    assert.strictEqual(version, manifest.version)
  })
})
