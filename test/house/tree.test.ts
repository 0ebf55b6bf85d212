/** The real sources keep the law, and what the layering promises follows for every file, however many steps away. */
import { posix } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { detachedForks, rooms } from "../../scripts/rooms/law.ts"
import { judge, placeOf } from "../../scripts/rooms/rules.ts"
import { load } from "../../scripts/rooms.ts"

const files = load(fileURLToPath(new URL("../..", import.meta.url))).filter(({ path }) => path.startsWith("src/"))
const byPath = new Map(files.map((file) => [file.path, file]))

/** Every module below `start`, itself included: paths of ours and names of packages. */
const reach = (...start: ReadonlyArray<string>): ReadonlySet<string> => {
  const seen = new Set(start)
  for (const path of seen) {
    for (const { specifier } of byPath.get(path)?.facts.imports ?? []) {
      seen.add(specifier.startsWith(".") ? posix.join(posix.dirname(path), specifier) : specifier)
    }
  }
  return seen
}

const inRoom = (room: string): ReadonlyArray<string> =>
  files
    .filter(({ path }) => placeOf(path)?.room === room && placeOf(path)?.driver === undefined)
    .map(({ path }) => path)

const reachOf = (...names: ReadonlyArray<string>) => [...reach(...names.flatMap(inRoom))]

const touching = (reached: ReadonlyArray<string>, ...names: ReadonlyArray<string>): ReadonlyArray<string> =>
  reached.filter((path) => names.some((name) => path.startsWith(`src/${name}/`)))

const edges = ["cli", "channel", "server", "console", "protocol", "app"]

describe("the sources", () => {
  it("break no rule but size, which `npm run check` reports (R001, R007)", () => {
    const broken = files.flatMap((file) => judge(file)).filter(({ rule }) => rule !== "size")
    assert.deepStrictEqual(broken, [])
    assert.isAbove(files.length, 20)
  })

  it("import in no circle between rooms: the rows themselves have an order (R001)", () => {
    const placed = new Set<string>()
    const left = new Set(Object.keys(rooms))
    while (left.size > 0) {
      const next = [...left].find((room) => (rooms[room] ?? []).every((below) => placed.has(below)))
      assert.isDefined(next, `circle among ${[...left].join(", ")}`)
      left.delete(next)
      placed.add(next)
    }
  })

  it("detach no fiber", () => {
    assert.deepStrictEqual(detachedForks, {})
  })
})

describe("what can never reach what", () => {
  it("the engine does not know who is asking: no terminal, channel or wire (R002, R013, R018)", () => {
    assert.deepStrictEqual(touching(reachOf("engine"), "runtime", ...edges), [])
  })

  it("a task and its runtime do not know the channel either (R016, R018, R224)", () => {
    assert.deepStrictEqual(touching(reachOf("runtime"), ...edges), [])
  })

  it("approval does not know providers, and tools do not know approval (R003, R004)", () => {
    assert.deepStrictEqual(touching(reachOf("approval"), "provider", "tools", ...edges), [])
    assert.deepStrictEqual(touching(reachOf("tools"), "provider", "approval", ...edges), [])
  })

  it("the terminal knows no single tool, provider or store (R005, R006)", () => {
    const drivers = reachOf("cli").filter((path) => placeOf(path)?.driver !== undefined && !path.startsWith("src/cli/"))
    assert.deepStrictEqual(
      drivers.filter((path) => path.startsWith("src/")),
      []
    )
  })

  it("the reporter does not know storage (R006, R221)", () => {
    assert.deepStrictEqual(touching([...reach("src/engine/Reporter.ts")], "store", "runtime"), [])
  })

  it("the runtime has no model SDK and the engine no keyboard, and only cli and app read one (R008, R009, R011, R093)", () => {
    const reached = reachOf("engine", "runtime")
    assert.deepStrictEqual(
      reached.filter((path) => /^(openai|node:readline|node:tty|@mariozechner)/.test(path)),
      []
    )
    const uses = reached.flatMap((path) => byPath.get(path)?.facts.uses ?? [])
    assert.deepStrictEqual(
      uses.filter(({ kind }) => kind === "stdio" || kind === "console"),
      []
    )
  })

  it("only cli and app write to a display (R010, R098, R099)", () => {
    const printing = files.filter(({ facts }) => facts.uses.some(({ kind }) => kind === "stdio" || kind === "console"))
    assert.deepStrictEqual(
      printing.filter(({ path }) => !/^src\/(cli|app)\//.test(path)).map(({ path }) => path),
      []
    )
  })

  it("transport, protocol, channel and console have no way to agents, tools or permissions (R014–R017)", () => {
    const forbidden: Readonly<Record<string, ReadonlyArray<string>>> = {
      server: ["engine", "provider", "tools", "context", "sandbox", "cli"],
      protocol: ["engine", "provider", "tools", "approval", "runtime", "store", "sandbox"],
      channel: ["engine", "provider", "tools", "context", "sandbox", "store", "server"],
      console: ["engine", "provider", "tools", "approval", "runtime", "store", "sandbox", "channel", "server"]
    }
    for (const [room, names] of Object.entries(forbidden)) {
      assert.deepStrictEqual(
        names.filter((name) => rooms[room]?.includes(name)),
        [],
        room
      )
    }
  })
})
