/** Each decision leaves one entry of who, what, by which rule and when, in a chain (R158, R168, SECURITY T23). */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as Audit from "../../src/approval/Audit.ts"
import { type Fault, makeVerifier } from "../../src/approval/AuditLog.ts"
import { digestOf } from "../../src/approval/matching.ts"
import type { CallId, GrantId, RequestId, SessionId, TaskId } from "../../src/domain/Ids.ts"
import type { Owner } from "../../src/domain/Principal.ts"

const ada: Owner = { tenant: "acme", project: "web", user: "ada" }
const place: Audit.Place = { owner: ada, session_id: "s" as SessionId }
const hostile = '","decision":"deny"}\n{"n":99,"kind":"decision","decision":"allow_once"\u2028'
const call = { call_id: "call_1" as CallId, tool_name: "bash", arguments: JSON.stringify({ command: hostile }) }
const event = {
  type: "approval_resolved" as const,
  task_id: "task_1" as TaskId,
  turn: 1,
  call_id: call.call_id,
  decision: "allow_once" as const,
  via: "grant" as const,
  rule: "grant",
  reason: `an earlier approval${hostile}`,
  request_id: "req_1" as RequestId,
  grant_id: "grant_1" as GrantId,
  by: `ada${hostile}`
}
const at = { seq: 7, ts: "2026-01-01T00:00:00.000Z" }

describe("an entry", () => {
  it("holds the decision and the digest of what was decided about", () => {
    assert.deepStrictEqual(Audit.decision(place, at, event, call), {
      ...ada,
      kind: "decision",
      session_id: "s" as SessionId,
      seq: 7,
      when: "2026-01-01T00:00:00.000Z",
      call_id: "call_1",
      tool_name: "bash",
      digest: digestOf("bash", { command: hostile }),
      decision: "allow_once",
      via: "grant",
      rule: "grant",
      reason: `an earlier approval${hostile}`,
      request_id: "req_1",
      grant_id: "grant_1",
      who: `ada${hostile}`
    })
  })

  it("prefers what the event itself says it is about", () => {
    const told = { ...event, tool_name: "write_file", digest: "d", shown: "src/a.ts" }
    const { tool_name, digest, shown } = Audit.decision(place, at, told, call)
    assert.deepStrictEqual([tool_name, digest, shown], ["write_file", "d", "src/a.ts"])
  })

  it("covers what is shown by its hash", () => {
    const link = (shown: string) =>
      Audit.chain(Audit.begin(new Uint8Array(1)), Audit.decision(place, at, { ...event, shown }, call))
    assert.strictEqual(Audit.read(link("ls").text)?.shown, "ls")
    assert.notStrictEqual(link("ls").hash, link("cat").hash)
  })

  it("is one line that reads back as itself, whatever its fields hold (C023, T23)", () => {
    const link = Audit.chain(Audit.begin(new Uint8Array(1)), Audit.decision(place, at, event, call))
    assert.strictEqual(link.text.split("\n").length, 1)
    const back = Audit.read(link.text)
    assert.deepStrictEqual([back?.n, back?.decision, back?.who], [1, "allow_once", `ada${hostile}`])
  })

  it("has no text that a database would give back otherwise", () => {
    const { who } = Audit.decision(place, at, { ...event, by: "a\ud800b" }, call)
    assert.strictEqual(who, "a\ufffdb")
  })
})

const first = Audit.begin(new Uint8Array([1, 2, 3]))
const chained = (count: number): ReadonlyArray<Audit.Link> => {
  const links: Array<Audit.Link> = []
  for (let n = 0; n < count; n += 1)
    links.push(Audit.chain(links.at(-1) ?? first, Audit.decision(place, { ...at, seq: n + 1 }, event, call)))
  return links
}

const found = (
  links: ReadonlyArray<Audit.Link>,
  head: Audit.Head | undefined,
  anchor?: Audit.Head
): ReadonlyArray<Pick<Fault, "kind" | "n">> => {
  const verifier = makeVerifier(first.hash, anchor)
  for (const link of links) verifier.take(link, () => true)
  return verifier.end(head).faults.map(({ kind, n }) => ({ kind, ...(n === undefined ? {} : { n }) }))
}

describe("a chain", () => {
  const whole = chained(6)
  const head = whole[5]!
  const edit = (i: number, change: Partial<Audit.Link>) =>
    whole.map((link, at) => (at === i ? { ...link, ...change } : link))

  it("that nobody touched has no fault, also an empty one", () => {
    assert.deepStrictEqual(found(whole, head), [])
    assert.deepStrictEqual(found([], first), [])
    assert.deepStrictEqual(found(whole, head, whole[2]), [])
    assert.deepStrictEqual(found(whole, head, first), [])
  })

  it("shows an entry that was changed, by any character of it", () => {
    const { text } = whole[2]!
    fc.assert(
      fc.property(fc.integer({ min: 0, max: text.length - 1 }), fc.constantFrom("x", "1", " "), (i, letter) => {
        fc.pre(text[i] !== letter)
        const changed = edit(2, { text: text.slice(0, i) + letter + text.slice(i + 1) })
        assert.deepStrictEqual(
          found(changed, head).map(({ n }) => n),
          [3]
        )
      })
    )
  })

  it("shows one that was changed together with its hash, at the entry behind it", () => {
    const text = whole[2]!.text.replace("allow_once", "deny")
    const changed = edit(2, { text, hash: Audit.hashOf(whole[1]!.hash, text) })
    assert.deepStrictEqual(found(changed, head), [{ kind: "changed", n: 4 }])
  })

  it("shows what was cut out: of the middle, of the beginning, of the end", () => {
    const without = (...gone: ReadonlyArray<number>) =>
      found(
        whole.filter(({ n }) => !gone.includes(n)),
        head
      )
    assert.deepStrictEqual(without(3), [{ kind: "missing", n: 3 }])
    assert.deepStrictEqual(without(1, 2), [{ kind: "missing", n: 1 }])
    assert.deepStrictEqual(without(6), [{ kind: "missing", n: 6 }])
    assert.deepStrictEqual(without(1, 2, 3, 4, 5, 6), [{ kind: "missing", n: 1 }])
  })

  it("shows what was put in or moved", () => {
    const renumbered = (link: Audit.Link, n: number) => ({ ...link, n })
    const swapped = [...whole.slice(0, 2), renumbered(whole[3]!, 3), renumbered(whole[2]!, 4), ...whole.slice(4)]
    assert.deepStrictEqual(found(swapped, head).slice(0, 2), [
      { kind: "moved", n: 3 },
      { kind: "moved", n: 4 }
    ])
    const inserted = [...whole.slice(0, 2), whole[1]!, ...whole.slice(2)].map((link, i) => renumbered(link, i + 1))
    assert.deepStrictEqual(found(inserted, head)[0], { kind: "moved", n: 3 })
    assert.deepStrictEqual(found(whole, whole[4]!), [{ kind: "extra", n: 6 }])
  })

  it("cannot show a tail that was cut off together with its head, but to an anchor kept elsewhere", () => {
    assert.deepStrictEqual(found(whole.slice(0, 4), whole[3]!), [])
    assert.deepStrictEqual(found(whole.slice(0, 4), whole[3]!, whole[4]!), [{ kind: "anchor", n: 5 }])
    assert.deepStrictEqual(found(whole, undefined), [{ kind: "anchor" }])
  })
})
