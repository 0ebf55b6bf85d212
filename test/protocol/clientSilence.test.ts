/** The typed client and a server that says nothing, or nothing of this protocol (R178, R235). */
import { assert, describe, it } from "@effect/vitest"
import { connect } from "../../src/protocol/Client.ts"
import type { ClientState } from "../../src/protocol/ClientContract.ts"
import { FakeWire } from "../support/fakeWire.ts"

const start = (wire: FakeWire) => {
  const states: Array<ClientState> = []
  const waking = new Set<() => void>()
  const client = connect({
    transport: wire.transport,
    onEvent: () => {},
    onState: (state) => void states.push(state),
    timer: wire.timer,
    random: () => 1,
    wakes: (run) => {
      waking.add(run)
      return () => void waking.delete(run)
    }
  })
  return {
    client,
    waking,
    wake: () => waking.forEach((run) => run()),
    kinds: () => states.map(({ kind }) => kind),
    last: () => states.at(-1)
  }
}

describe("silence", () => {
  it("for a heartbeat of the server: it is asked, and an answer is enough", () => {
    const wire = new FakeWire()
    const { kinds } = start(wire)
    wire.connect()
    for (let i = 0; i < 3; i++) {
      assert.strictEqual(wire.pass(), 1000)
      assert.deepStrictEqual(wire.heard.at(-1), { type: "ping" })
    }
    assert.deepStrictEqual([kinds(), wire.opens], [["connecting", "ready"], 1])
  })

  it("for another one: the connection is given up, and made again", () => {
    const wire = new FakeWire()
    const { kinds, client } = start(wire)
    wire.connect()
    wire.faults = ["lose"]
    assert.deepStrictEqual([wire.pass(), wire.pass()], [1000, 1000])
    assert.deepStrictEqual(kinds(), ["connecting", "ready", "waiting"])
    wire.connect()
    assert.deepStrictEqual([client.state().kind, wire.opens], ["ready", 2])
  })

  it("any word ends it, also one that is no answer", () => {
    const wire = new FakeWire()
    const { kinds } = start(wire)
    wire.connect()
    wire.faults = ["lose"]
    wire.pass()
    wire.say({ type: "state", state: "idle" })
    // The timer that would give up is gone: the next one asks.
    wire.pass()
    assert.deepStrictEqual(wire.heard.slice(-2), [{ type: "ping" }, { type: "ping" }])
    assert.deepStrictEqual(kinds(), ["connecting", "ready"])
  })

  it("from the first moment on: a server that never greets is given up too", () => {
    const wire = new FakeWire()
    const { kinds } = start(wire)
    wire.faults = ["lose", "lose", "lose"]
    wire.open()
    assert.deepStrictEqual([wire.pass(), wire.pass()], [30_000, 30_000])
    assert.deepStrictEqual(kinds(), ["connecting", "waiting"])
  })
})

describe("words that are none", () => {
  it.each(["SSH-2.0-OpenSSH_9.2", "HTTP/1.1 400 Bad Request", "null", "[]", "{}", '{"type":1}'])(
    "before the greeting, %s: this is no claw server, and that is the end",
    (text) => {
      const wire = new FakeWire()
      const { last } = start(wire)
      wire.babble(text)
      const error = { code: "bad_json", message: "This is not a claw server.", retryable: false }
      assert.deepStrictEqual<unknown>(last(), { kind: "ended", error })
      wire.connect()
      assert.strictEqual(wire.opens, 1)
    }
  )

  it("later: the connection is made again", () => {
    const wire = new FakeWire()
    const { client } = start(wire)
    wire.connect()
    wire.babble("{")
    assert.strictEqual(client.state().kind, "waiting")
    wire.connect()
    assert.deepStrictEqual([client.state().kind, wire.opens], ["ready", 2])
  })
})

it("what the server said before it closed is told with the wait", () => {
  const wire = new FakeWire()
  const { last } = start(wire)
  const error = { code: "too_many_connections", message: "Too many connections.", retryable: true } as const
  wire.say({ type: "error", error })
  wire.cut(1013)
  assert.deepStrictEqual<unknown>(last(), { kind: "waiting", delay_ms: 250, error })
})

describe("whoever wakes", () => {
  it("asks at once whether the connection lives, and makes another one where nothing is said (R252)", () => {
    const wire = new FakeWire()
    const { wake, kinds } = start(wire)
    wire.connect()
    wire.faults = ["lose"]
    wake()
    assert.deepStrictEqual([wire.heard.at(-1), wire.pass()], [{ type: "ping" }, 5_000])
    wire.connect()
    assert.deepStrictEqual([kinds().slice(2), wire.opens], [["waiting", "connecting", "ready"], 2])
  })

  it("keeps a connection that answers", () => {
    const wire = new FakeWire()
    const { wake } = start(wire)
    wire.connect()
    wake()
    assert.deepStrictEqual([wire.pass(), wire.opens], [1000, 1])
  })

  it("waits no longer for the next try, which is then the only one", () => {
    const wire = new FakeWire()
    const { wake, kinds } = start(wire)
    wire.connect()
    wire.cut()
    wake()
    assert.deepStrictEqual([kinds().at(-1), wire.opens, wire.pass()], ["connecting", 2, undefined])
  })

  it("for good is left alone once it is closed", () => {
    const wire = new FakeWire()
    const { client, waking } = start(wire)
    wire.connect()
    client.close()
    assert.strictEqual(waking.size, 0)
  })
})
