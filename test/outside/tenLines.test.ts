/** A stranger can write a working client from the reference page in ten lines (R185, R225). */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { claw, NODE, SIDE_BY_SIDE, type World, world } from "../support/e2eProgram.ts"
import { type Ready, served } from "../support/e2eServer.ts"
import { text } from "../support/fakeModelScript.ts"
import { bareEnvironment, run } from "../support/programs.ts"

const MANY = 10
const TEXT = "Hello, 世界 🌍.\nAnd more."

/** The page's clients in this language. */
const clientsIn = (page: string, language: string) =>
  Array.from(page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)\\n\`\`\`$`, "gms")), ([, code]) => code ?? "")

const protocolPage = (at: World) =>
  Effect.map(claw(["protocol"], { env: at.env, cwd: at.workspace }), ({ stdout }) => stdout)

/** As it stands, but for the port. */
const writeHere = (at: World, name: string, example: string, ready: Ready) => {
  const file = join(at.home, name)
  writeFileSync(file, example.replace("8080", `${ready.tcp.port}`).replace("8081", new URL(ready.http.url).port))
  return file
}

describe("the client on the page of claw protocol", SIDE_BY_SIDE, () => {
  for (const [i, name] of ["TCP", "WebSocket"].entries()) {
    it.live(`over ${name} runs as it stands there, but for the port`, () =>
      Effect.gen(function* () {
        const at = yield* world()
        at.model.script(text(TEXT, 7))
        const examples = clientsIn(yield* protocolPage(at), "js")
        assert.strictEqual(examples.length, 2)
        const example = examples[i] ?? ""
        assert.isAtMost(example.split("\n").length, MANY)
        const imports = Array.from(example.matchAll(/from "(.*?)"/g), ([, from]) => from)
        assert.deepStrictEqual(imports, i === 0 ? ["node:net"] : [])
        const { ready } = yield* served(at)
        const ended = yield* run(NODE, [writeHere(at, "client.mjs", example, ready)])
        assert.deepStrictEqual(ended, { code: 0, signal: null, stdout: TEXT, stderr: "" })
      }).pipe(Effect.scoped)
    )
  }

  it.live("in Python runs as it stands, but for the port", () =>
    Effect.gen(function* () {
      const at = yield* world()
      at.model.script(text(TEXT, 7))
      const [example = "", ...others] = clientsIn(yield* protocolPage(at), "python")
      assert.deepStrictEqual([others, example.match(/^(?:import|from) .*$/gm)], [[], ["import json, socket"]])
      assert.isAtMost(example.split("\n").length, MANY)
      const { ready } = yield* served(at)
      const ended = yield* run("python3", [writeHere(at, "client.py", example, ready)], {
        env: { ...bareEnvironment, PYTHONIOENCODING: "utf-8" }
      })
      assert.deepStrictEqual(ended, { code: 0, signal: null, stdout: TEXT, stderr: "" })
    }).pipe(Effect.scoped)
  )

  it.live("the page names the limits that a client meets, and no other", () =>
    Effect.gen(function* () {
      const at = yield* world()
      const page = yield* protocolPage(at)
      const [, limits = ""] = /^## Limits\n(.*?)^## /ms.exec(page) ?? []
      for (const name of ["message_bytes", "heartbeat_ms", "detach_ms"]) assert.include(limits, `\`${name}\` |`)
      for (const name of ["http_body_bytes", "max_turns", "tools_per_process"]) assert.notInclude(limits, `\`${name}\``)
    }).pipe(Effect.scoped)
  )
})
