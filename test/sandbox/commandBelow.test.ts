/** What is changed with all that lies below holds the control plane at whatever depth (P11). */
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, it } from "@effect/vitest"
import { analyse } from "../../src/sandbox/CommandAnalysis.ts"
import { makeWorkspace } from "../support/approvalCorpus.ts"

const notPlain = (line: string, files: ReadonlyArray<string>) => {
  const workspace = makeWorkspace()
  try {
    for (const file of files) {
      mkdirSync(dirname(join(workspace.path, file)), { recursive: true })
      writeFileSync(join(workspace.path, file), "")
    }
    return analyse(line, { workspace: workspace.path }).commands[0]!.notPlain.map((why) =>
      why.replace(`${workspace.path}/`, "")
    )
  } finally {
    workspace.remove()
  }
}

it.each([
  ["rm -rf lib", "lib/a/b/.git/config"],
  ["chmod -R 777 lib", "lib/x/.claw/settings.json"],
  ["chown -R nobody lib", "lib/deep/er/.hg/hgrc"],
  ["chmod --recursive u+w li*", "lib/a/.git/HEAD"]
])("%s, where %s lies", (line, file) => {
  assert.deepStrictEqual(notPlain(line, [file]), ["lib holds the control plane"])
})

it.each([
  ["rm -rf lib", "lib/a/b/git/config"],
  ["rm -rf node_modules", "node_modules/a/.git/config"],
  ["rm -r lib", "lib/a/.gitignore"],
  ["chmod 777 lib", "lib/a/.git/config"]
])("%s, where only %s lies", (line, file) => {
  assert.deepStrictEqual(notPlain(line, [file]), [])
})

it("more than can be looked through asks", () => {
  const files = Array.from({ length: 10_001 }, (_, at) => `lib/${at}`)
  assert.deepStrictEqual(notPlain("rm -rf lib", files), ["lib holds too much to be looked through"])
})
