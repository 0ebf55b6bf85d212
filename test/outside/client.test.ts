/** The typed client against the built server, over real sockets that also break (R169, R176, R187–R193, R217–R221, R240). */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import type { SessionEvent } from "../../src/domain/Event.ts"
import { claw, type FakeWorld, SIDE_BY_SIDE, world } from "../support/e2eProgram.ts"
import { served } from "../support/e2eServer.ts"
import { calls, delta, DONE, finish, HEAD, stream, text } from "../support/fakeModelScript.ts"
import { live, outcome, road, ways } from "../support/liveClient.ts"

const write = { id: "call_1", name: "write_file", arguments: JSON.stringify({ path: "new.txt", content: "new\n" }) }

const facts = (events: ReadonlyArray<SessionEvent>) => events.filter((event) => "seq" in event)
const types = (events: ReadonlyArray<SessionEvent>) => facts(events).map(({ type }) => type)
const textOf = (events: ReadonlyArray<SessionEvent>, type: "text_delta" | "text_completed"): string =>
  events.flatMap((event) => (event.type === type ? event.content : [])).join("")

/** The stored session as `claw sessions show` gives it. */
const journal = ({ env, workspace }: FakeWorld, id: string) =>
  Effect.map(claw(["sessions", "show", id, "--json"], { env, cwd: workspace }), ({ stdout }) =>
    stdout
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as SessionEvent)
  )

for (const way of ways) {
  const scene = Effect.fnUntraced(function* (args: ReadonlyArray<string> = ["--no-auth"]) {
    const at = yield* world()
    const path = yield* road
    const hosts = { CLAW_SERVER_ALLOWED_HOSTS: `127.0.0.1:${path.port}` }
    const server = yield* served(at, args, hosts)
    path.to(way.portOf(server.ready))
    return { at, server, path, hosts, transport: way.transport(path.port) }
  })

  describe(`over ${way.name}`, SIDE_BY_SIDE, () => {
    it.live("a prompt runs to its end; the client is told all that it needs", () =>
      Effect.gen(function* () {
        const { at, transport } = yield* scene()
        at.model.script(text("hello there", 3))
        const { client, events, hears, event, told, gaps } = yield* live(transport, { create: { title: "mine" } })
        const accepted = yield* Effect.promise(() => client.prompt("hi"))
        yield* event("task_completed")
        const { limits, position, session_id } = yield* hears("hello")
        assert.deepStrictEqual([limits.heartbeat_ms, position, session_id, gaps()], [30_000, 0, client.session(), 0])
        assert.deepStrictEqual(
          told.slice(0, 2).map(({ type }) => type),
          ["hello", "status"]
        )
        assert.deepStrictEqual(types(events), ["task_started", "thinking", "text_completed", "usage", "task_completed"])
        assert.deepStrictEqual(textOf(events, "text_delta"), "hello there")
        const status = yield* Effect.promise(() => client.status())
        assert.deepStrictEqual([status.title, status.position, status.counters.tasks], ["mine", 5, 1])
        assert.strictEqual(accepted.task_id, (events[0] as { readonly task_id?: string }).task_id)
      }).pipe(Effect.scoped)
    )

    it.live("an approval is answered once; commands take effect, and wrong ones are answered", () =>
      Effect.gen(function* () {
        const { at, transport } = yield* scene()
        at.model.script(calls([write]), text("written"))
        const { client, events, event } = yield* live(transport)
        yield* Effect.promise(() => client.prompt("write"))
        const { request_id } = yield* event("approval_request")
        assert.strictEqual(yield* outcome(client.answer(request_id, { decision: "retry" })), "bad_decision")
        assert.strictEqual(yield* outcome(client.answer(request_id, { decision: "allow_once" })), "done")
        assert.strictEqual(yield* outcome(client.answer(request_id, { decision: "deny" })), "approval_already_resolved")
        yield* event("task_completed")
        assert.deepInclude(
          events.find(({ type }) => type === "tool_result"),
          { status: "ok", is_error: false }
        )
        assert.strictEqual(yield* outcome(client.send({ type: "command", name: "rename", title: "other" })), "done")
        assert.strictEqual(yield* outcome(client.send({ type: "command", name: "set_mode", mode: "plan" })), "done")
        assert.strictEqual(yield* outcome(client.send({ type: "command", name: "compact" })), "done")
        const { title, mode } = yield* Effect.promise(() => client.status())
        assert.deepStrictEqual([title, mode], ["other", "plan"])
      }).pipe(Effect.scoped)
    )

    it.live("an interrupt ends the task; where none runs, that is the answer to it and to nothing else", () =>
      Effect.gen(function* () {
        const { at, transport } = yield* scene()
        at.model.script(stream(HEAD, delta({ content: "on and on" }), "hang"))
        const { client, events, event } = yield* live(transport)
        yield* Effect.promise(() => client.prompt("go"))
        yield* event("text_delta")
        const answers = [client.interrupt(), client.send({ type: "command", name: "rename", title: "a" })]
        assert.deepStrictEqual(yield* Effect.forEach(answers, outcome), ["done", "done"])
        yield* event("task_canceled")
        for (let i = 0; i < 20; i++) {
          const both = [client.interrupt(), client.send({ type: "command", name: "resume_queue" })]
          assert.deepStrictEqual(yield* Effect.forEach(both, outcome), ["no_task", "done"])
        }
        assert.deepStrictEqual(types(events), ["task_started", "thinking", "usage", "text_completed", "task_canceled"])
      }).pipe(Effect.scoped)
    )

    it.live("a cut in the middle of a text: it goes on where it was, without a hole or a repetition", () =>
      Effect.gen(function* () {
        const { at, path, transport } = yield* scene()
        const [go, on] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        at.model.script(
          stream(
            HEAD,
            delta({ content: "one " }),
            { until: Deferred.await(go) },
            delta({ content: "two " }),
            { until: Deferred.await(on) },
            delta({ content: "three" }),
            finish("stop"),
            DONE
          )
        )
        const { client, events, event, becomes, gaps } = yield* live(transport, { detach: true })
        yield* Effect.promise(() => client.prompt("count"))
        yield* event("text_delta")
        path.cut()
        yield* becomes("waiting")
        yield* Deferred.succeed(go, undefined)
        yield* becomes("ready", 2)
        yield* Deferred.succeed(on, undefined)
        yield* event("task_completed")
        assert.strictEqual(textOf(events, "text_delta"), "one two three")
        assert.deepStrictEqual(types(events), ["task_started", "thinking", "text_completed", "usage", "task_completed"])
        assert.deepStrictEqual([gaps(), path.travelled()], [0, 2])
      }).pipe(Effect.scoped)
    )

    it.live("the server starts again in the middle of a task: what was seen is what is stored", () =>
      Effect.gen(function* () {
        const { at, server, path, hosts, transport } = yield* scene()
        at.model.script(
          calls([{ id: "call_1", name: "read_file", arguments: '{"path":"README.md"}' }]),
          stream(HEAD, delta({ content: "half" }), "hang"),
          text("and done", 3)
        )
        const { client, events, event, becomes, hears } = yield* live(transport)
        yield* Effect.promise(() => client.prompt("go"))
        yield* event("text_delta")
        server.running.signal("SIGTERM")
        yield* hears("draining")
        assert.strictEqual((yield* server.running.ended).code, 0)
        yield* becomes("waiting")
        const ports = ["--tcp-port", `${server.ready.tcp.port}`, "--http-port", new URL(server.ready.http.url).port]
        const again = yield* served(at, ["--no-auth", ...ports], hosts)
        yield* event("task_completed")
        again.running.signal("SIGTERM")
        yield* again.running.ended
        assert.deepStrictEqual(facts(events), yield* journal(at, client.session() ?? ""))
        assert.isAtLeast(path.travelled(), 2)
        assert.deepStrictEqual(at.model.violations(), [])
      }).pipe(Effect.scoped)
    )

    it.live("a wrong token ends it for good, the right one lets it in", () =>
      Effect.gen(function* () {
        const { server, path, transport } = yield* scene([])
        const wrong = yield* live(transport, { token: "claw_wrong" })
        const prompt = outcome(wrong.client.prompt("hi"))
        const ended = yield* wrong.becomes("ended")
        assert.deepInclude(ended, { kind: "ended" })
        assert.strictEqual(ended.kind === "ended" ? ended.error?.code : "", "unauthenticated")
        assert.strictEqual(yield* prompt, "unauthenticated")
        assert.strictEqual(path.travelled(), 1)
        const right = yield* live(transport, { token: server.ready.token ?? "" })
        yield* right.becomes("ready")
      }).pipe(Effect.scoped)
    )
  })
}
