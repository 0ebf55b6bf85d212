/** `/undo` and `/redo` over the wire: the command, and the fact that the server has told before it says that it is done. */
import { Effect } from "effect"
import type { Durable, SessionEvent } from "../domain/Event.ts"
import type { Client } from "../protocol/Client.ts"
import { RuntimeError } from "../runtime/RuntimeError.ts"
import type { SessionRuntime } from "../runtime/SessionRuntime.ts"
import type { Locale } from "./Commands.ts"
import type { Facts } from "./remoteFacts.ts"
import { remoteTexts } from "./remoteTexts.ts"

export const remoteRestoring = (
  client: Client,
  facts: Facts,
  locale: Locale,
  asked: (request: () => Promise<void>) => Effect.Effect<void, RuntimeError>
): Pick<SessionRuntime, "restore" | "difference"> => ({
  restore: Effect.fnUntraced(function* (direction, { uncertain = false } = {}) {
    const { seq } = facts.state()
    const command =
      direction === "undo" ? { name: direction, ...(uncertain ? { uncertain } : {}) } : { name: direction }
    yield* asked(() => client.send({ type: "command", ...command }))
    const found: Array<Durable<"files_restored">> = []
    const sink = (events: ReadonlyArray<SessionEvent>) => {
      for (const event of events) if (event.type === "files_restored") found.push(event)
    }
    facts.watch({ seq }, sink)()
    return found[0] ?? (yield* new RuntimeError({ code: "internal" }))
  }),
  difference: () => Effect.fail(new RuntimeError({ code: "unknown_type", detail: remoteTexts[locale].difference }))
})
