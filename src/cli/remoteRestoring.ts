/**
 * `/undo`, `/redo` and `/diff` over the wire: the command, and what the server told before it says that it is done. Owns:
 * which facts are its answer. Does not own: the list of what could be restored, for which the wire has no message.
 */
import { Effect } from "effect"
import type { Durable, SessionEvent } from "../domain/Event.ts"
import type { TaskId } from "../domain/Ids.ts"
import type { Client } from "../protocol/ClientContract.ts"
import { RuntimeError } from "../runtime/RuntimeError.ts"
import type { SessionRuntime } from "../runtime/SessionRuntime.ts"
import type { Facts } from "./remoteFacts.ts"

type Asked = <A>(request: () => Promise<A>) => Effect.Effect<A, RuntimeError>

const restoredSince = (facts: Facts, seq: number) => {
  const found: Array<Durable<"files_restored">> = []
  const sink = (events: ReadonlyArray<SessionEvent>) => {
    for (const event of events) if (event.type === "files_restored") found.push(event)
  }
  facts.watch({ seq }, sink)()
  return found
}

export const remoteRestoring = (
  client: Client,
  facts: Facts,
  asked: Asked
): Pick<SessionRuntime, "restore" | "restoreTo" | "difference" | "changes"> => {
  const restored = Effect.fnUntraced(function* (
    name: Durable<"files_restored">["direction"],
    uncertain: boolean,
    to?: TaskId
  ) {
    const { seq } = facts.state()
    const command = {
      name,
      ...(name === "undo" && uncertain ? { uncertain } : {}),
      ...(to === undefined ? {} : { to })
    }
    yield* asked(() => client.send({ type: "command", ...command }))
    const found = restoredSince(facts, seq)
    // It was done before it was asked for: begun by a server that was killed, and finished by the one that is there now.
    return found.length > 0
      ? found
      : restoredSince(facts, 0)
          .filter(({ direction }) => direction === name)
          .slice(-1)
  })
  return {
    restore: (direction, { uncertain = false } = {}) =>
      Effect.flatMap(restored(direction, uncertain), ([first]) =>
        first === undefined ? Effect.fail(new RuntimeError({ code: "internal" })) : Effect.succeed(first)
      ),
    restoreTo: (direction, to, { uncertain = false } = {}) => restored(direction, uncertain, to),
    difference: (which = false) =>
      asked(() => client.diff(typeof which === "boolean" ? { all: which } : { task_id: which })),
    changes: Effect.fail(new RuntimeError({ code: "unknown_type" }))
  }
}
