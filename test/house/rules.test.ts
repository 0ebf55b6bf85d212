/** Each rule of the rooms fires on the smallest tree that breaks it, and on nothing that keeps it (R001–R007, R014–R018). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { check } from "../../scripts/rooms.ts"
import { type Files, directoryWith } from "../support/directories.ts"

/** `file:line rule` of every violation. */
const violations = Effect.fnUntraced(function* (files: Files) {
  const root = yield* directoryWith(files)
  return check(root).map(({ file, line, rule }) => `${file}:${line} ${rule}`)
})

const breaks = (name: string, files: Files, ...expected: ReadonlyArray<string>) =>
  it.effect(name, () => Effect.map(violations(files), (found) => assert.deepStrictEqual(found, expected)))

const keeps = (name: string, files: Files) => breaks(name, files)

const statement = (specifier: string) => `import { x } from "${specifier}"\nexport const y = x\n`

describe("direction", () => {
  breaks(
    "a lower room imports a higher one",
    { "src/engine/turn.ts": statement("../runtime/Task.ts") },
    "src/engine/turn.ts:1 direction"
  )
  breaks(
    "types count, in every spelling",
    {
      "src/domain/A.ts":
        'import type { X } from "../store/Journal.ts"\n' +
        'export type Y = X | import("../tools/Tool.ts").Z\n' +
        'export const z = () => import("../cli/Repl.ts")\n' +
        'export const w = new URL("../app/xWorker.ts", import.meta.url)\n'
    },
    "src/domain/A.ts:1 direction",
    "src/domain/A.ts:2 direction",
    "src/domain/A.ts:3 direction",
    "src/domain/A.ts:4 direction"
  )
  breaks(
    "a change of terminal cannot reach the engine (R002, R013)",
    { "src/engine/turn.ts": statement("../cli/Render.ts") },
    "src/engine/turn.ts:1 direction"
  )
  breaks(
    "provider and approval do not know each other (R003)",
    { "src/approval/Policy.ts": statement("../provider/Provider.ts") },
    "src/approval/Policy.ts:1 direction"
  )
  breaks(
    "tools do not know how approvals are asked (R004)",
    { "src/tools/Tool.ts": statement("../approval/Approver.ts") },
    "src/tools/Tool.ts:1 direction"
  )
  breaks(
    "the reporter does not know storage (R006)",
    { "src/engine/Reporter.ts": statement("../store/Journal.ts") },
    "src/engine/Reporter.ts:1 direction"
  )
  breaks(
    "transport knows no agent (R014)",
    { "src/server/TcpServer.ts": statement("../engine/Engine.ts") },
    "src/server/TcpServer.ts:1 direction"
  )
  breaks(
    "protocol knows no tool (R015)",
    { "src/protocol/Framing.ts": statement("../tools/Tool.ts") },
    "src/protocol/Framing.ts:1 direction"
  )
  breaks(
    "channel runs no tool (R016)",
    { "src/channel/Session.ts": statement("../tools/Tool.ts") },
    "src/channel/Session.ts:1 direction"
  )
  breaks(
    "console imports its own packages and no other, and its folders are no drivers (R017, R242)",
    {
      "src/console/shell/App.tsx": statement("react"),
      "src/console/net/api.ts": statement("effect"),
      "src/console/main.tsx": statement("./shell/App.tsx")
    },
    "src/console/net/api.ts:1 package"
  )
  breaks(
    "console decides nothing (R017)",
    { "src/console/view.tsx": statement("../approval/Policy.ts") },
    "src/console/view.tsx:1 direction"
  )
  breaks(
    "a task knows no channel (R018)",
    { "src/runtime/Task.ts": statement("../channel/Connection.ts") },
    "src/runtime/Task.ts:1 direction"
  )
  breaks("src stands alone", { "src/app/claw.ts": statement("../../package.json") }, "src/app/claw.ts:1 direction")
  breaks(
    "the package's entry is for others",
    { "src/app/claw.ts": statement("../index.ts"), "src/index.ts": "" },
    "src/app/claw.ts:1 direction"
  )
  keeps("what a row allows", {
    "src/engine/turn.ts": statement("../tools/Tool.ts"),
    "src/cli/repl.ts": statement("../runtime/Task.ts"),
    "src/app/layers.ts": statement("../cli/Repl.ts")
  })
})

describe("doors", () => {
  breaks(
    "a camelCase file of another room",
    { "src/engine/turn.ts": statement("../domain/fold.ts") },
    "src/engine/turn.ts:1 door"
  )
  breaks("app uses doors, too", { "src/app/layers.ts": statement("../engine/turn.ts") }, "src/app/layers.ts:1 door")
  keeps("one's own private files, and a test that looks inside", {
    "src/engine/Engine.ts": statement("./turn.ts"),
    "test/engine/a.test.ts": statement("../../src/engine/turn.ts")
  })
})

describe("drivers", () => {
  breaks(
    "a room and its own driver",
    { "src/store/Journal.ts": statement("./sqlite/Sqlite.ts") },
    "src/store/Journal.ts:1 driver"
  )
  breaks(
    "another room's driver",
    { "src/runtime/Task.ts": statement("../store/sqlite/Sqlite.ts") },
    "src/runtime/Task.ts:1 driver"
  )
  breaks(
    "the prompt loop and a tool (R005)",
    { "src/cli/repl.ts": statement("../tools/builtin/Bash.ts") },
    "src/cli/repl.ts:1 driver"
  )
  breaks(
    "one driver and another",
    { "src/store/sqlite/A.ts": statement("../postgres/B.ts") },
    "src/store/sqlite/A.ts:1 driver"
  )
  breaks(
    "a driver keeps its room's row",
    { "src/store/sqlite/A.ts": statement("../../approval/Policy.ts") },
    "src/store/sqlite/A.ts:1 direction"
  )
  keeps("app, tests, its own files, its room's files, and the doors its row names", {
    "src/app/layers.ts": statement("../store/sqlite/Sqlite.ts"),
    "src/index.ts": 'export { x } from "./store/sqlite/Sqlite.ts"\n',
    "src/store/sqlite/A.ts": statement("../../approval/GrantStore.ts"),
    "src/store/sqlite/B.ts": statement("../private.ts"),
    "src/store/sqlite/C.ts": statement("./rows.ts"),
    "test/store/a.test.ts": statement("../../src/store/sqlite/rows.ts")
  })
})

describe("packages", () => {
  breaks(
    "a model SDK outside its adapter (R009)",
    { "src/runtime/a.ts": statement("openai/resources") },
    "src/runtime/a.ts:1 package"
  )
  breaks(
    "a line reader outside cli (R008)",
    { "src/engine/a.ts": statement("node:readline") },
    "src/engine/a.ts:1 package"
  )
  breaks(
    "node in a room that browsers run",
    { "src/domain/A.ts": statement("node:crypto") },
    "src/domain/A.ts:1 package"
  )
  keeps("where it belongs", {
    "src/provider/openai/A.ts": statement("openai"),
    "src/cli/a.ts": statement("node:readline")
  })
})

describe("rooms and names", () => {
  breaks("a room that is not in the table", { "src/stuff/A.ts": "" }, "src/stuff/A.ts:1 room")
  breaks("a file in no room", { "src/main.ts": "" }, "src/main.ts:1 room")
  breaks(
    "names that name nothing",
    { "src/engine/utils.ts": "", "src/tools/shared/A.ts": "" },
    "src/engine/utils.ts:1 name",
    "src/tools/shared/A.ts:1 name"
  )
})

describe("barrels", () => {
  breaks("an index below the entry", { "src/engine/index.ts": "" }, "src/engine/index.ts:1 barrel")
  breaks(
    "a file that only hands on",
    { "src/engine/Engine.ts": 'export { a } from "./a.ts"\nexport { b } from "./b.ts"\n' },
    "src/engine/Engine.ts:1 barrel"
  )
  breaks(
    "a star",
    { "src/engine/Engine.ts": 'export const a = 1\nexport * from "./b.ts"\n' },
    "src/engine/Engine.ts:2 barrel"
  )
  keeps("one name beside a subject of its own, and the entry", {
    "src/engine/Engine.ts": 'export const a = 1\nexport { b } from "./b.ts"\n',
    "src/index.ts": 'export * from "./engine/Engine.ts"\n'
  })
})
