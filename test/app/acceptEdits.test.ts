/** Mode accept-edits takes a line that does nothing but write its own text, as the file tools would (R140, P10). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeJudge } from "../../src/app/policyJudge.ts"
import { makeWorkspace } from "../support/approvalCorpus.ts"

const PASS = [
  "cat > notes.md <<'EOF'\n# a $(b)\nEOF",
  "cat <<'EOF' > src/new.js\n1\nEOF",
  "echo 'a' > new",
  "printf '%s\\n' a >> README.md"
]
const ASK = [
  "cat > README.md <<'EOF'\na\nEOF",
  "cat > package.json <<'EOF'\n{}\nEOF",
  "cat > .env <<'EOF'\nA=1\nEOF",
  "cat > .vscode/tasks.json <<'EOF'\n{}\nEOF",
  "cat > new <<EOF\n$(touch x)\nEOF",
  'echo "$(touch x)" > new',
  "echo $HOME > new",
  "cat README.md > new",
  "cat < README.md > new",
  "ls > new",
  "echo a > new; touch b",
  "echo a | tee new",
  "(echo a) > new",
  "echo a > $x",
  "echo a > $(touch x)",
  "echo a > `touch x`",
  "echo a > ~/x",
  "echo a > *.md",
  "echo a > ../x",
  "echo a > {b,c}",
  "npm test > new"
]

describe("accept-edits", () => {
  it.effect("passes what only writes a text", () =>
    Effect.gen(function* () {
      const { path, remove } = makeWorkspace()
      try {
        const { judge } = yield* makeJudge({ workspace: path, own: [], moved: [] })
        const actionOf = Effect.fnUntraced(function* (command: string, mode: "ask" | "accept-edits") {
          const judged = yield* judge("bash", JSON.stringify({ command }), { rules: [], grants: [], mode })
          return judged.kind === "refused" ? judged.kind : judged.judgement.action
        })
        for (const command of PASS) {
          assert.strictEqual(yield* actionOf(command, "accept-edits"), "allow", command)
          assert.strictEqual(yield* actionOf(command, "ask"), "ask", command)
        }
        for (const command of ASK) assert.notStrictEqual(yield* actionOf(command, "accept-edits"), "allow", command)
      } finally {
        remove()
      }
    })
  )
})
