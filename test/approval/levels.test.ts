/** Programs with commands and options of their own: what a grant of first words covers, row by row (P5, P8, R154). */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { ALLOWED, BEHIND, refusedBy } from "../../src/sandbox/commandAllowed.ts"
import { analyse } from "../../src/sandbox/CommandAnalysis.ts"
import { LEVELS } from "../../src/sandbox/commandLevelRows.ts"
import { judgeBash, makeGrant, makeWorkspace } from "../support/approvalCorpus.ts"

const inWorkspace = <A>(use: (path: string) => A): A => {
  const workspace = makeWorkspace()
  try {
    return use(workspace.path)
  } finally {
    workspace.remove()
  }
}

/** With grants of its first word, of the first two and of the first three. */
const judged = (command: string, workspace: string) => {
  const words = command.split(" ")
  const grants = [1, 2, 3].map((count) => makeGrant(workspace, "prefix", words.slice(0, count)))
  return judgeBash({ command, workspace, grants })
}

describe.each(LEVELS.map((row) => [[...row.programs].join(", "), row] as const))("%s", (_, row) => {
  it.each(row.granted)("%s: the grant that is offered covers it", (command) => {
    inWorkspace((workspace) => {
      const { grant_options } = judgeBash({ command, workspace })
      const matcher = grant_options.find(({ id }) => id === "command")?.matcher
      assert.strictEqual(matcher?.kind, "command", command)
      const argv = matcher?.kind === "command" ? matcher.argv : []
      const { action, reason } = judgeBash({ command, workspace, grants: [makeGrant(workspace, "prefix", argv)] })
      assert.strictEqual(action, "allow", reason)
    })
  })

  it.each(row.exactly)("%s: no grant of first words is offered or covers it", (command) => {
    inWorkspace((workspace) => {
      const { action, grant_options } = judged(command, workspace)
      assert.deepStrictEqual([action, grant_options.map(({ id }) => id).slice(0, 2)], ["ask", ["exact"]])
    })
  })
})

describe("options that do not ask", () => {
  const rows = [
    ...Object.entries(ALLOWED),
    ...Object.entries(BEHIND).flatMap(([name, commands]) =>
      Object.entries(commands).map(([command, allowed]) => [`${name} ${command} --`, allowed] as const)
    )
  ]
  it.each(rows)("of %s", (_, allowed) => {
    assert.deepStrictEqual(refusedBy(allowed, allowed.plain), [])
    for (const word of allowed.asks) assert.deepStrictEqual(refusedBy(allowed, [word]), [word])
    assert.isAbove(allowed.asks.length, 0)
  })

  it("an option whose meaning the word behind it turns round asks", () => {
    assert.deepStrictEqual(refusedBy(ALLOWED["npm"]!, ["--ignore-scripts", "false"]), ["--ignore-scripts"])
    assert.deepStrictEqual(refusedBy(ALLOWED["npm"]!, ["--ignore-scripts", "--no-audit"]), [])
  })
})

describe("scripts of the manifest", () => {
  const only = (command: string, ...programs: ReadonlyArray<string>) =>
    inWorkspace((workspace) => {
      writeFileSync(join(workspace, "package.json"), '{"scripts":{"lint":"true","node":"true"}}')
      mkdirSync(join(workspace, "node_modules/.bin"), { recursive: true })
      for (const program of programs) writeFileSync(join(workspace, "node_modules/.bin", program), "")
      return analyse(command, { workspace }).commands[0]?.exactOnly
    })

  it.each(["yarn lint", "pnpm lint", "yarn run lint", "pnpm run lint"])("%s: may be granted", (command) => {
    assert.isUndefined(only(command, "lint"))
  })

  it.each([
    ["yarn run vite", "yarn run vite is no script of the manifest"],
    ["pnpm run vite", "pnpm run vite is no script of the manifest"],
    ["yarn vite", "yarn vite does more than look"],
    ["pnpm node", "pnpm node does more than look"],
    ["yarn node", "yarn node does more than look"]
  ])("%s: only exactly", (command, why) => {
    assert.strictEqual(only(command, "vite", "node"), why)
  })
})
