/** Node's built-in WebSocket: the client that a program of ten lines would use (R225–R229, R327–R329). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { demo, type Event, OUTSIDE, ofType, type Served, texts } from "../support/servedProgram.ts"

const connected = ({ http }: Served) =>
  Effect.acquireRelease(
    Effect.callback<{
      readonly socket: WebSocket
      readonly until: (...types: ReadonlyArray<string>) => Promise<void>
      readonly events: ReadonlyArray<Event>
    }>((resume) => {
      const events: Array<Event> = []
      const socket = new WebSocket(`ws://${http.host}:${http.port}/ws`)
      const waiting = new Set<() => void>()
      socket.addEventListener("message", ({ data }) => {
        events.push(JSON.parse(String(data)) as Event)
        for (const look of waiting) look()
      })
      const until = (...types: ReadonlyArray<string>): Promise<void> =>
        new Promise((done) => {
          const look = () => {
            if (ofType(events, ...types).length === 0) return
            waiting.delete(look)
            done()
          }
          waiting.add(look)
          look()
        })
      socket.addEventListener("open", () => resume(Effect.succeed({ socket, until, events })))
      socket.addEventListener("error", () => resume(Effect.die(new Error("the socket could not be opened"))))
    }),
    ({ socket }) => Effect.sync(() => socket.close())
  )

const say = (socket: WebSocket, message: object) => Effect.sync(() => socket.send(JSON.stringify(message)))

describe("Node's own WebSocket", OUTSIDE, () => {
  it.live("two of them talk at once, each hears only its own session, and one is interrupted alone", () =>
    Effect.gen(function* () {
      const server = yield* demo()
      const [a, b] = [yield* connected(server), yield* connected(server)]
      yield* say(a.socket, { type: "prompt", content: "count" })
      yield* say(b.socket, { type: "prompt", content: "hello" })
      yield* Effect.promise(() => a.until("text_delta"))
      yield* say(a.socket, { type: "interrupt" })
      yield* Effect.promise(() => a.until("task_canceled"))
      yield* Effect.promise(() => b.until("task_completed"))
      const ends = ["task_completed", "task_canceled", "task_failed"]
      const heard = [a, b].map(({ events }) => ofType(events, ...ends).map(({ type }) => type))
      assert.deepStrictEqual(heard, [["task_canceled"], ["task_completed"]])
      const sessions = [a, b].map(({ events }) => [
        ...new Set(events.flatMap((event) => (event as { readonly session_id?: string }).session_id ?? []))
      ])
      assert.deepStrictEqual(
        sessions.map((ids) => ids.map((id) => /^ws-channel-session-\d+$/.test(id))),
        [[true], [true]]
      )
      assert.notDeepEqual(sessions[0], sessions[1])
      const whole = texts(b.events)
      assert.strictEqual(whole.deltas, whole.completed)
    })
  )
})
