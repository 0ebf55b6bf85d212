/**
 * `claw fork [ID] [--at SEQ]`: a copy of a session up to any point, and on with it (issue 5). Owns: what the words mean.
 * Does not own: the copy (`runtime/SessionCopy`), the conversation (interactive). Invariant: with pipes or `--json` it
 * prints the copy's id and ends; at a terminal the conversation goes on in the copy.
 */
import { Effect } from "effect"
import type { CommandLine } from "../cli/CommandLine.ts"
import { EXIT } from "../cli/Commands.ts"
import { Output } from "../cli/Output.ts"
import type { ConfigShape } from "../config/AppConfig.ts"
import { newSessionId } from "../domain/Ids.ts"
import { RuntimeError } from "../runtime/RuntimeError.ts"
import * as SessionCopy from "../runtime/SessionCopy.ts"
import { identityOf } from "../sandbox/WorkspaceIdentity.ts"
import { SessionIndex } from "../store/SessionIndex.ts"
import { refusal } from "./failure.ts"
import { interactive } from "./interactive.ts"
import { reading } from "./layers.ts"
import { sessionNamed } from "./sessionNamed.ts"
import { workspaceOf } from "./workspace.ts"

/** The session that is meant; without an id the newest of this directory. */
const source = Effect.fnUntraced(function* (line: CommandLine, config: ConfigShape) {
  const [named] = line.operands
  if (named !== undefined) return yield* sessionNamed(named)
  const workspace = yield* Effect.fromResult(workspaceOf(config))
  const [newest] = yield* Effect.flatMap(SessionIndex, (index) => index.list({ workspace, limit: 1 }))
  return newest ?? (yield* new RuntimeError({ code: "session_not_found" }))
})

const atOf = ({ values: { at } }: CommandLine) => {
  if (at === undefined) return Effect.succeed({})
  return /^\d{1,15}$/.test(at)
    ? Effect.succeed({ at: Number(at) })
    : Effect.fail(
        refusal(
          "--at is the number of an event: claw sessions show ID",
          "--at 是事件的编号，可用 claw sessions show ID 查看"
        )
      )
}

/** `--cwd` moves the copy to another directory; without it the copy stays in the session's own. */
const placeOf = Effect.fnUntraced(function* (line: CommandLine, config: ConfigShape) {
  if (line.values["cwd"] === undefined) return {}
  const workspace = yield* Effect.fromResult(workspaceOf(config))
  const workspace_id = identityOf(workspace)
  return { place: workspace_id === undefined ? { workspace } : { workspace, workspace_id } }
})

const copy = Effect.fnUntraced(function* (line: CommandLine, config: ConfigShape) {
  const from = yield* source(line, config)
  const [at, place] = [yield* atOf(line), yield* placeOf(line, config)]
  return yield* SessionCopy.fork(from.owner, from.session_id, {
    to: Effect.sync(() => newSessionId("fork")),
    ...at,
    ...place
  })
})

export const forkCommand = Effect.fnUntraced(function* (line: CommandLine, config: ConfigShape) {
  const output = yield* Output
  const { owner: _owner, workspace_id: _id, ...meta } = yield* Effect.provide(copy(line, config), reading(config))
  const { session_id } = meta
  if (line.switches.has("json")) {
    yield* output.out(`${JSON.stringify(meta)}\n`)
    return EXIT.done
  }
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    yield* output.out(`${session_id}\n`)
    return EXIT.done
  }
  return yield* interactive({ ...line, operands: [], values: { ...line.values, resume: session_id } }, config)
})
