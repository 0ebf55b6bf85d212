/** From the explanation a reader sees why, also where no word of the line says it (R139). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeJudge } from "../../src/app/policyJudge.ts"
import { explain } from "../../src/approval/Explain.ts"
import type { Rule } from "../../src/approval/Rules.ts"
import { makeWorkspace } from "../support/approvalCorpus.ts"
import { writeFiles } from "../support/contentFiles.ts"

const deny = (matcher: Rule["matcher"]): Rule => ({ name: "own", tool: "*", matcher, action: "deny" })
const PUSH = deny({ kind: "command", argv: ["git", "push"] })
const DELETES = deny({ kind: "effect", effect: "deletes" })
const SECRET = deny({ kind: "path", glob: "secret/**" })

const explained = (command: string, rules: ReadonlyArray<Rule>) =>
  Effect.gen(function* () {
    const { path, remove } = makeWorkspace()
    try {
      writeFiles(path, { "deploy.sh": "#!/bin/sh\ngit push origin\n", "secret/x": "1\n" })
      const { judge } = yield* makeJudge({ workspace: path, own: [], moved: [] })
      const judged = yield* judge("bash", JSON.stringify({ command }), { rules, grants: [], mode: "ask" })
      if (judged.kind === "refused") return judged
      const { action, line, narrow, parts } = explain(judged.subject, judged.judgement)
      return { action, why: [...line, ...parts.flatMap((part) => part.why)], narrow }
    } finally {
      remove()
    }
  })

const rows: ReadonlyArray<readonly [string, ReadonlyArray<Rule>, string, ReadonlyArray<string>, string?]> = [
  ["sh deploy.sh", [PUSH], "deny", ["runs git push origin"]],
  ["git push", [PUSH], "deny", []],
  ["gzip README.md", [DELETES], "deny", ["gzip takes away what it packs"]],
  ["sed -i d README.md", [DELETES], "deny", ["sed changes files in place"]],
  ["ls > README.md", [DELETES], "deny", ["empties README.md, which the rule own denies", "writes README.md"]],
  ["npm pack", [SECRET], "deny", ["comes by secret, which the rule own denies"]],
  ["cat secret/x", [SECRET], "deny", ["comes by secret/x, which the rule own denies"]],
  ["git add -A && node x.js", [], "ask", [], "an interpreter runs whatever it is given"],
  [
    "cd src && npm test",
    [],
    "ask",
    ["cd moves what follows into another directory, where its words may mean other files"],
    "cd moves what follows into another directory, where its words may mean other files"
  ]
]

describe("an explanation", () => {
  it.effect.each(rows)("of %s", ([command, rules, action, why, narrow]) =>
    Effect.gen(function* () {
      const found: unknown = yield* explained(command, rules)
      assert.deepStrictEqual(found, { action, why, narrow })
    })
  )
})
