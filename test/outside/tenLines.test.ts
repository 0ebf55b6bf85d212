/** A stranger can write a working client from the reference page in ten lines (R185, R225). */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { claw, NODE, SIDE_BY_SIDE, world } from "../support/e2eProgram.ts"
import { served } from "../support/e2eServer.ts"
import { text } from "../support/fakeModelScript.ts"
import { run } from "../support/programs.ts"

const MANY = 10

describe("the client on the page of claw protocol", SIDE_BY_SIDE, () => {
  for (const [i, name] of ["TCP", "WebSocket"].entries()) {
    it.live(`over ${name} runs as it stands there, but for the port`, () =>
      Effect.gen(function* () {
        const at = yield* world()
        at.model.script(text("Hello, 世界 🌍.\nAnd more.", 7))
        const { stdout: page } = yield* claw(["protocol"], { env: at.env, cwd: at.workspace })
        const examples = Array.from(page.matchAll(/^```js\n(.*?)\n```$/gms), ([, code]) => code ?? "")
        assert.strictEqual(examples.length, 2)
        const example = examples[i] ?? ""
        assert.isAtMost(example.split("\n").length, MANY)
        const imports = Array.from(example.matchAll(/from "(.*?)"/g), ([, from]) => from)
        assert.deepStrictEqual(imports, i === 0 ? ["node:net"] : [])
        const { ready } = yield* served(at)
        const file = join(at.home, "client.mjs")
        const here = example.replace("8080", String(ready.tcp.port)).replace("8081", new URL(ready.http.url).port)
        writeFileSync(file, here)
        const ended = yield* run(NODE, [file])
        assert.deepStrictEqual(ended, { code: 0, signal: null, stdout: "Hello, 世界 🌍.\nAnd more.", stderr: "" })
      }).pipe(Effect.scoped)
    )
  }

  it.live("the page names the limits that a client meets, and no other", () =>
    Effect.gen(function* () {
      const at = yield* world()
      const { stdout: page } = yield* claw(["protocol"], { env: at.env, cwd: at.workspace })
      const [, limits = ""] = /^## Limits\n(.*?)^## /ms.exec(page) ?? []
      for (const name of ["message_bytes", "heartbeat_ms", "detach_ms"]) assert.include(limits, `\`${name}\` |`)
      for (const name of ["http_body_bytes", "max_turns", "tools_per_process"]) assert.notInclude(limits, `\`${name}\``)
    }).pipe(Effect.scoped)
  )
})
