/** A process that carries out a plan, to be killed in the middle: BASE WORKSPACE PLAN. Says `begun` before the first file. */
import { Context, Effect, Layer } from "effect"
import { Checkpoints } from "../../src/sandbox/Checkpoints.ts"
import * as Git from "../../src/sandbox/checkpoints/GitCheckpoints.ts"

const [, script, base = "", workspace = "", plan = ""] = process.argv

if (script?.endsWith("undoChild.ts") === true) {
  const layer = Git.layer({ base, workspace, session: "session", path: process.env["PATH"] ?? "" })
  const program = Effect.gen(function* () {
    const checkpoints = Context.get(yield* Layer.build(layer), Checkpoints)
    process.stdout.write("begun\n")
    yield* checkpoints.apply(plan)
  })
  await Effect.runPromise(Effect.scoped(program))
}
