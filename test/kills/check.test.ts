/** The checker of the kill table: a sound run has no complaint, and each invariant that is broken has its own. */
import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { check, type Evidence, type Moment } from "../../scripts/kills/check.ts"
import type { Fact } from "../../scripts/kills/client.ts"
import type { Row, Store } from "../../scripts/kills/disk.ts"

const digest = createHash("sha256").update('bash\n{"command":"echo b1"}').digest("hex")
const usage = { input_tokens: 1, output_tokens: 1 }
const task = { task_id: "t" }

const bodies: ReadonlyArray<Readonly<Record<string, unknown>> & { readonly type: string }> = [
  { type: "task_started", ...task, prompt_id: "p", content: "go", idempotency_key: "k" },
  { type: "text_completed", ...task, content: "" },
  { type: "tool_call", ...task, call_id: "b1", tool_name: "bash", content: '{"command":"echo b1"}' },
  { type: "approval_resolved", ...task, call_id: "b1", decision: "allow_once", digest },
  { type: "tool_started", ...task, call_id: "b1", attempt: 1 },
  { type: "tool_result", ...task, call_id: "b1", status: "ok" },
  { type: "text_completed", ...task, content: "done" },
  { type: "usage", ...task, session_usage: usage },
  { type: "task_completed", ...task, usage }
]

const rows = (list = bodies): ReadonlyArray<Row> =>
  list.map((body, i) => ({ pos: i + 1, seq: i + 1, event_id: `e${i + 1}`, ts: "now", type: body.type, body }))

const store = (list = rows(), change: Partial<Store> = {}): Store => ({
  rows: list,
  grants: [],
  audited: list.filter(({ type }) => type === "approval_resolved").length,
  epoch: 2,
  format: 5,
  ...change
})

const moment = (list: ReadonlyArray<Row>, effects: ReadonlyArray<string> = []): Moment => ({
  store: store(list, { epoch: 1 }),
  effects,
  files: new Map()
})

const facts = (list = rows()): ReadonlyArray<Fact> =>
  list.map(({ seq, event_id, ts, body }) => ({ v: 1, session_id: "s", ...body, seq: seq ?? 0, event_id, ts }) as never)

/** Killed when the call's result was stored. */
const sound: Evidence = {
  before: new Map(),
  kills: [moment(rows().slice(0, 6), ["b1"])],
  pauses: [],
  end: { store: store(), effects: ["b1"], files: new Map() },
  requests: [
    { kills: 0, complaints: [] },
    { kills: 1, complaints: [] }
  ],
  seen: facts(),
  acknowledged: new Map([["k", "p"]]),
  replies: [],
  writers: new Map(),
  labels: new Map(),
  ends: new Map(),
  survivors: [],
  answersAgain: true
}

const without = (type: string) => rows(bodies.filter((body) => body.type !== type))
const ended = (list: ReadonlyArray<Row>, effects: ReadonlyArray<string> = ["b1"]): Partial<Evidence> => ({
  end: { store: store(list), effects, files: new Map() },
  kills: [],
  seen: facts(list)
})
const file = (inode: number, text = "") => new Map([["a", { inode, text }]])
const writing = (then: number, now: number): Partial<Evidence> => ({
  before: file(1),
  writers: new Map([["a", "b1"]]),
  kills: [{ ...moment(rows().slice(0, 6), ["b1"]), files: file(then) }],
  end: { store: store(), effects: ["b1"], files: file(now) }
})

const broken: ReadonlyArray<readonly [string, Partial<Evidence>]> = [
  ["I1: t ended 0 times", ended(without("task_completed"))],
  ["I1: t ended 1 times in the log, 0 on the wire", { seen: facts().slice(0, -1) }],
  ["I2: prompt k was used 0 times", { acknowledged: new Map([["k", "another"]]) }],
  ["I3: the client saw task_completed at 9", { seen: [...facts().slice(0, -1), { ...facts()[8]!, event_id: "x" }] }],
  [
    "I3: record 6 (tool_result) was on the disk",
    {
      kills: [
        moment(
          rows()
            .slice(0, 6)
            .with(5, { ...rows()[5]!, event_id: "x" })
        )
      ]
    }
  ],
  ["I4: offsets on the wire are not dense", { seen: facts().toSpliced(7, 1) }],
  ["I5: b1 happened, and 0 intents", { kills: [moment(rows().slice(0, 4), ["b1"])] }],
  ["I5: b1 happened again behind its stored result", { end: { ...sound.end, effects: ["b1", "b1"] } }],
  ["I5: a happened again behind its stored result", writing(2, 3)],
  ["I6: b1 ran 2 times", { kills: [], end: { ...sound.end, effects: ["b1", "b1"] } }],
  ["I7: b1 began without an allow", ended(without("approval_resolved"))],
  [
    "I7: b1 is not what was allowed",
    ended(rows(bodies.map((body) => (body.type === "approval_resolved" ? { ...body, digest: "other" } : body))))
  ],
  ["I8: a gap", { requests: [{ kills: 0, complaints: ["a gap"] }] }],
  [
    "I8: 3 requests for 2 answers",
    { kills: [], requests: Array.from({ length: 3 }, () => ({ kills: 0, complaints: [] })) }
  ],
  ["I8: calls b1 have results ", ended(without("tool_result"))],
  ["I9: still alive: 7", { survivors: [7] }],
  [
    "I10: usage went down",
    ended(rows([...bodies, { type: "usage", ...task, session_usage: { input_tokens: 0, output_tokens: 0 } }]))
  ],
  ["I11: epochs 3 2", { kills: [{ ...moment([]), store: store([], { epoch: 3 }) }] }],
  ["I12", { answersAgain: false }],
  ["C19: grants g for ", { end: { ...sound.end, store: store(rows(), { grants: ["g"] }) } }],
  ["C19: 0 audit entries for 1", { end: { ...sound.end, store: store(rows(), { audited: 0 }) } }],
  [
    "C7: b1 was asked about 2 times",
    ended(
      rows([
        ...bodies.slice(0, 3),
        { type: "approval_request", ...task, kind: "tool", call_id: "b1", request_id: "r1" },
        { type: "approval_request", ...task, kind: "tool", call_id: "b1", request_id: "r2" },
        ...bodies.slice(3)
      ])
    )
  ],
  ["a says undefined", { ends: new Map([["a", "b"]]) }],
  ["a temporary file stayed", { end: { ...sound.end, files: new Map([[".claw-0.tmp", { inode: 1, text: "" }]]) } }],
  [
    "DESIGN 7: b1 was asked about",
    {
      ...ended(rows(bodies.map((body) => (body.type === "tool_result" ? { ...body, status: "uncertain" } : body)))),
      writers: new Map([["a", "b1"]])
    }
  ]
]

describe("the checker of kills", () => {
  it("has no complaint of a sound run", () => {
    assert.deepStrictEqual(check(sound), [])
  })

  it("takes one more request for each kill at which the model was to be asked", () => {
    const requests = Array.from({ length: 3 }, () => ({ kills: 0, complaints: [] }))
    assert.deepStrictEqual(check({ ...sound, requests }), [])
  })

  it("takes one more request where a subagent's model was being asked while its parent waits for it", () => {
    const child = { ...task, parent_call_id: "s1" }
    const delegated = rows([
      { type: "task_started", ...task, prompt_id: "p" },
      { type: "text_completed", ...task, content: "" },
      { type: "tool_call", ...task, call_id: "s1", tool_name: "subagent", content: "{}" },
      { type: "subagent_started", ...child },
      { type: "text_completed", ...child, content: "" },
      { type: "tool_call", ...child, call_id: "k1", tool_name: "bash", content: "{}" },
      { type: "tool_result", ...child, call_id: "k1", status: "ok" }
    ])
    const over = (count: number, list: ReadonlyArray<Row>) =>
      check({
        ...sound,
        kills: [moment(list)],
        requests: Array.from({ length: count }, () => ({ kills: 0, complaints: [] }))
      }).filter((complaint) => complaint.startsWith("I8: "))
    assert.deepStrictEqual(over(3, delegated), [])
    assert.deepStrictEqual(over(4, delegated), ["I8: 4 requests for 2 answers and 1 cuts"])
    // Its call has no result yet: nobody is being asked.
    assert.deepStrictEqual(over(3, delegated.slice(0, -1)), ["I8: 3 requests for 2 answers and 0 cuts"])
  })

  it("takes one more execution where a person wanted it", () => {
    const twice = { ...sound, kills: [], end: { ...sound.end, effects: ["b1", "b1"] } }
    const again = check({ ...twice, replies: [{ decision: "retry", call_id: "b1" }] })
    assert.deepStrictEqual(
      again.filter((complaint) => complaint.startsWith("I6")),
      []
    )
  })

  it.each(broken)("%s", (expected, change) => {
    const complaints = check({ ...sound, ...change })
    assert.isTrue(
      complaints.some((complaint) => complaint.startsWith(expected)),
      complaints.join("\n")
    )
  })
})
