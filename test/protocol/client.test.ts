/** The typed client over a wire with faults: whatever is cut, lost or doubled, what is seen equals the log (R217–R221). */
import { assert, describe, it } from "@effect/vitest"
import { errorBody } from "../../src/domain/ErrorCode.ts"
import * as fc from "fast-check"
import { connect } from "../../src/protocol/Client.ts"
import type { ClientState } from "../../src/protocol/ClientContract.ts"
import { type Fault, FakeWire, type Said } from "../support/fakeWire.ts"

const start = (wire: FakeWire, after?: { readonly seq: number }) => {
  const events: Array<Said> = []
  const states: Array<ClientState> = []
  const gaps: Array<unknown> = []
  const client = connect({
    transport: wire.transport,
    ...(after === undefined ? {} : { after }),
    onEvent: (event) => void events.push(event as unknown as Said),
    onState: (state) => void states.push(state),
    onGap: (position) => void gaps.push(position),
    timer: wire.timer,
    random: () => 1
  })
  return { client, events, states, gaps }
}

const seqs = (events: ReadonlyArray<Said>) => events.flatMap(({ seq }) => (typeof seq === "number" ? [seq] : []))
/** Text of each stream as it was shown. */
const shown = (events: ReadonlyArray<Said>): Readonly<Record<string, string>> => {
  const texts: Record<string, string> = {}
  for (const { type, stream_id, content, offset } of events) {
    if (type !== "text_delta") continue
    const before = texts[String(stream_id)] ?? ""
    assert.strictEqual(offset, before.length)
    texts[String(stream_id)] = before + String(content)
  }
  return texts
}

/** Two turns of a task, a step at a time. */
const steps = (wire: FakeWire): ReadonlyArray<() => void> =>
  ["str_1", "str_2"].flatMap((stream_id) => [
    () => wire.fact({ type: "thinking", task_id: "t", turn: 1, stream_id, reasoning_stream_id: `r_${stream_id}` }),
    () => wire.delta(stream_id, "Hel"),
    () => wire.delta(stream_id, "lo "),
    () => wire.delta(stream_id, "🌍"),
    () => wire.fact({ type: "text_completed", task_id: "t", turn: 1, stream_id, content: "Hello 🌍" })
  ])

const settle = (wire: FakeWire) => {
  for (let i = 0; i < 20; i++) {
    wire.connect()
    wire.status()
  }
}

const lives = (faults: ReadonlyArray<Fault>) => {
  const wire = new FakeWire()
  wire.faults = [...faults]
  const seen = start(wire, { seq: 0 })
  for (const step of steps(wire)) {
    wire.connect()
    step()
  }
  wire.faults = []
  settle(wire)
  return { wire, ...seen }
}

describe("events", () => {
  it("a cut at every message: each fact once, text without a hole or a repetition", () => {
    for (let at = 0; at < 40; at++) {
      const { wire, events } = lives([...Array.from({ length: at }, (): Fault => "none"), "cut"])
      assert.deepStrictEqual(seqs(events), seqs(wire.facts), `cut at ${at}`)
      for (const text of Object.values(shown(events)))
        assert.isTrue("Hello 🌍".startsWith(text), `cut at ${at}: ${text}`)
    }
  })

  it("any schedule of cuts, losses and repetitions", () => {
    const fault = fc.constantFrom<Fault>("none", "none", "cut", "lose", "twice")
    fc.assert(
      fc.property(fc.array(fault, { maxLength: 40 }), (faults) => {
        const { wire, events } = lives(faults)
        assert.deepStrictEqual(seqs(events), seqs(wire.facts))
        for (const text of Object.values(shown(events))) assert.isTrue("Hello 🌍".startsWith(text))
      }),
      { numRuns: 500 }
    )
  })

  it("nothing wrong: the whole text live, no gap, one connection", () => {
    const { wire, events, gaps } = lives([])
    assert.deepStrictEqual([shown(events), gaps, wire.opens], [{ str_1: "Hello 🌍", str_2: "Hello 🌍" }, [], 1])
  })

  it("a lost fact is a gap that is told, and asked for from where the client stands", () => {
    const wire = new FakeWire()
    const { events, gaps } = start(wire)
    wire.connect()
    wire.faults = ["lose"]
    wire.fact({ type: "cleared", up_to_seq: 0 })
    wire.fact({ type: "cleared", up_to_seq: 1 })
    assert.deepStrictEqual([seqs(events), gaps], [[1, 2], [{ seq: 0 }]])
    assert.deepStrictEqual<unknown>(wire.heard.at(-1), { type: "resume", session_id: "s", after: { seq: 0 } })
  })

  it("reconnecting goes on in the middle of a text", () => {
    const wire = new FakeWire()
    start(wire)
    wire.connect()
    for (const step of steps(wire).slice(0, 3)) step()
    wire.cut()
    wire.connect()
    assert.deepInclude(wire.heard.at(-1), { type: "hello", after: { seq: 1, stream_id: "str_1", offset: 6 } })
  })
})

describe("requests", () => {
  it("a prompt whose acceptance was cut off is sent again under its key and runs once", async () => {
    for (const faults of [["cut"], ["none", "cut"], ["lose", "cut"], ["cut", "cut", "cut"]] as const) {
      const wire = new FakeWire()
      const { client } = start(wire)
      wire.connect()
      wire.faults = [...faults]
      const accepted = client.prompt("hello")
      settle(wire)
      assert.deepStrictEqual([(await accepted).task_id, wire.tasks], ["task_1", ["hello"]])
    }
  })

  it("prompts made without a connection are sent in order when there is one", async () => {
    const wire = new FakeWire()
    const { client } = start(wire)
    const all = [client.prompt("a"), client.prompt("b")]
    wire.connect()
    await Promise.all(all)
    assert.deepStrictEqual(wire.tasks, ["a", "b"])
  })

  it("an error is the answer of what is on its way", async () => {
    const wire = new FakeWire()
    const { client } = start(wire)
    wire.connect()
    wire.faults = ["lose"]
    const answered = client.interrupt()
    wire.say({ type: "error", error: errorBody("no_task") })
    const error = await answered.then(
      () => undefined,
      (failed: unknown) => failed
    )
    assert.deepStrictEqual(error, errorBody("no_task"))
  })

  it("what is too large for the server is refused here; what comes behind it is sent (R200, R255)", async () => {
    const wire = new FakeWire()
    const { client } = start(wire)
    const large = client.prompt("é".repeat(40_000)).catch((error: unknown) => error)
    const next = client.prompt("next")
    wire.connect()
    assert.deepStrictEqual(await large, errorBody("too_large"))
    await next
    assert.deepStrictEqual([wire.tasks, wire.opens], [["next"], 1])
  })

  it("a connection that is closed as for too large a message is an answer, and nothing to send again", async () => {
    const wire = new FakeWire()
    const { client } = start(wire)
    wire.connect()
    wire.faults = ["lose", "lose"]
    const large = client.prompt("x").catch((error: unknown) => error)
    wire.cut(1009)
    assert.deepStrictEqual(await large, errorBody("too_large"))
    settle(wire)
    assert.strictEqual(wire.heard.filter(({ type }) => type === "prompt").length, 1)
  })

  it("clear is not sent twice: after a cut its fate is told", async () => {
    const wire = new FakeWire()
    const { client } = start(wire)
    wire.connect()
    wire.faults = ["cut"]
    const failed = await client.send({ type: "command", name: "clear" }).catch((error: { code: string }) => error.code)
    assert.strictEqual(failed, "internal")
    settle(wire)
    assert.strictEqual(wire.heard.filter(({ type }) => type === "command").length, 1)
  })
})

describe("connection", () => {
  it("a ping is answered with its nonce", () => {
    const wire = new FakeWire()
    start(wire)
    wire.connect()
    wire.say({ type: "ping", nonce: "n" })
    assert.deepStrictEqual(wire.heard.at(-1), { type: "pong", nonce: "n" })
  })

  it("what signing in again would not change ends it, and every promise with it", async () => {
    for (const code of ["unauthenticated", "forbidden", "unsupported_version"] as const) {
      const wire = new FakeWire()
      wire.refuse = errorBody(code)
      const { client } = start(wire)
      const prompt = client.prompt("x").catch((error: unknown) => error)
      wire.connect()
      assert.deepStrictEqual(client.state(), { kind: "ended", error: errorBody(code) })
      assert.deepStrictEqual(await prompt, errorBody(code))
      wire.connect()
      assert.strictEqual(wire.opens, 1)
    }
  })

  it("a close code says it too", () => {
    const wire = new FakeWire()
    const { client } = start(wire)
    wire.connect()
    wire.cut(4401)
    assert.deepStrictEqual(client.state(), { kind: "ended", error: errorBody("unauthenticated") })
  })

  it("it waits longer each time, and from the beginning once it was welcome", () => {
    const wire = new FakeWire()
    const { states } = start(wire)
    wire.faults = ["cut", "cut", "cut"]
    wire.connect()
    wire.cut()
    assert.deepStrictEqual(
      states.flatMap((state) => (state.kind === "waiting" ? [state.delay_ms] : [])),
      [250, 500, 1000, 250]
    )
  })

  it("closed is closed", () => {
    const wire = new FakeWire()
    const { client } = start(wire)
    wire.connect()
    client.close()
    wire.connect()
    assert.deepStrictEqual([client.state(), wire.opens], [{ kind: "ended" }, 1])
  })
})
