/**
 * Invariants I1–I12 (RELIABILITY 3.2) of one run that was killed, as a pure function of what stood outside of the
 * process: the journal's rows, the model's requests, the effects, what the client saw and said. Gives complaints.
 */
import { createHash } from "node:crypto"
import { stringify } from "../../src/domain/Canonical.ts"
import { asking } from "./asking.ts"
import { ENDS, type Fact, type Reply } from "./client.ts"
import type { File, Row, Store } from "./disk.ts"
import type { Request } from "./model.ts"
import { misplaced } from "./misplaced.ts"
import { callOf, hasResult, of, writing } from "./rows.ts"

/** What stood there at one moment. */
export interface Moment {
  readonly store: Store
  readonly effects: ReadonlyArray<string>
  readonly files: ReadonlyMap<string, File>
}

export interface Evidence {
  readonly before: ReadonlyMap<string, File>
  /** Right after each kill. */
  readonly kills: ReadonlyArray<Moment>
  /** Right after each orderly end of a process in the middle. */
  readonly pauses: ReadonlyArray<Moment>
  readonly end: Moment
  readonly requests: ReadonlyArray<Request>
  readonly seen: ReadonlyArray<Fact>
  /** Key of a prompt → its acknowledged id. */
  readonly acknowledged: ReadonlyMap<string, string>
  readonly replies: ReadonlyArray<Reply & { readonly call_id: string }>
  /** Which call writes a file. */
  readonly writers: ReadonlyMap<string, string>
  /** A line of effects → the calls that write it; absent: whose command says so. */
  readonly labels: ReadonlyMap<string, ReadonlyArray<string>>
  /** What files should say. */
  readonly ends: ReadonlyMap<string, string>
  readonly survivors: ReadonlyArray<number>
  /** A prompt behind the recovery came to its end. */
  readonly answersAgain: boolean
}

type Complaints = ReadonlyArray<string>

const isAllow = ({ body }: Row): boolean => body.decision === "allow_once" || body.decision === "allow_session"

const terminals = ({ end: { store }, seen }: Evidence): Complaints => {
  const started = of(store.rows, "task_started").map(({ body }) => body.task_id)
  const countOf = (facts: ReadonlyArray<{ readonly type: string; readonly task: unknown }>, task: unknown) =>
    facts.filter((fact) => ENDS.has(fact.type) && fact.task === task).length
  const stored = store.rows.map(({ type, body }) => ({ type, task: body.task_id }))
  const wire = seen.map(({ type, task_id }) => ({ type, task: task_id }))
  return started.flatMap((task) => {
    const [inLog, onWire] = [countOf(stored, task), countOf(wire, task)]
    return inLog === 1 && onWire === 1
      ? []
      : [`I1: ${String(task)} ended ${inLog} times in the log, ${onWire} on the wire`]
  })
}

const prompts = ({ acknowledged, end: { store } }: Evidence): Complaints =>
  Array.from(acknowledged).flatMap(([key, id]) => {
    const uses = of(store.rows, "task_started", "prompt_steered").filter(({ body }) => body.prompt_id === id)
    const ids = new Set(
      of(store.rows, "task_started", "prompt_queued")
        .filter(({ body }) => body.idempotency_key === key)
        .map(({ body }) => body.prompt_id)
    )
    return uses.length === 1 && ids.size === 1
      ? []
      : [`I2: prompt ${key} was used ${uses.length} times under ${ids.size} ids`]
  })

const sent = ({ end: { store }, seen, kills }: Evidence): Complaints => {
  const bySeq = new Map(store.rows.map((row) => [row.seq, row]))
  const wire = seen.flatMap(({ v: _v, session_id: _s, seq, event_id, ts, ...body }) => {
    const row = bySeq.get(seq)
    const same = row?.event_id === event_id && row.ts === ts && stringify(row.body) === stringify(body)
    return same ? [] : [`I3: the client saw ${body.type} at ${seq}, the log has ${row?.type ?? "nothing"}`]
  })
  // What was on the disk at a kill is still there.
  const lost = kills.flatMap(({ store: then }) =>
    then.rows.flatMap((row) => {
      const now = store.rows[row.pos - 1]
      return now?.event_id === row.event_id && stringify(now.body) === stringify(row.body)
        ? []
        : [`I3: record ${row.pos} (${row.type}) was on the disk and is not now`]
    })
  )
  return [...wire, ...lost]
}

const numbers = ({ end: { store }, seen }: Evidence): Complaints => {
  const seqs = store.rows.flatMap(({ seq }) => (seq === null ? [] : [seq]))
  const dense = (name: string, list: ReadonlyArray<number>) =>
    list.every((n, i) => n === i + 1) ? [] : [`I4: ${name} are not dense: ${list.join(" ")}`]
  return [
    ...dense(
      "positions",
      store.rows.map(({ pos }) => pos)
    ),
    ...dense("offsets", seqs),
    ...dense(
      "offsets on the wire",
      seen.map(({ seq }) => seq)
    )
  ]
}

const countIn = (list: ReadonlyArray<string>, one: string): number => list.filter((each) => each === one).length
const started = (rows: ReadonlyArray<Row>, call: string) =>
  of(rows, "tool_started").filter((row) => callOf(row) === call)
/** A file that is another one now has been written. */
const written = (before: ReadonlyMap<string, File>, now: ReadonlyMap<string, File>, path: string): boolean =>
  before.get(path)?.inode !== now.get(path)?.inode || before.get(path)?.text !== now.get(path)?.text

interface Trace {
  readonly name: string
  readonly calls: ReadonlyArray<string>
  /** How often it happened until a moment; of a file only whether it is another one than before. */
  readonly happened: (moment: Moment, since: Moment | undefined) => number
}

/** What calls leave outside. */
const tracesOf = ({ before, end, kills, labels, writers }: Evidence): ReadonlyArray<Trace> => {
  const lines = new Set([...kills, end].flatMap(({ effects }) => effects))
  const start: Moment = { store: { rows: [], grants: [], audited: 0, epoch: 0, format: 0 }, effects: [], files: before }
  return [
    ...Array.from(lines, (name) => ({
      name,
      calls: labels.get(name) ?? writing(end.store.rows, name),
      happened: (moment: Moment, since = start) => countIn(moment.effects, name) - countIn(since.effects, name)
    })),
    ...Array.from(writers, ([path, call]) => ({
      name: path,
      calls: [call],
      happened: (moment: Moment, since = start) => (written(since.files, moment.files, path) ? 1 : 0)
    }))
  ]
}

/** Nothing ran before its intent was stored, nothing again behind its stored result. */
const intents = (evidence: Evidence): Complaints => {
  const { end, kills } = evidence
  return tracesOf(evidence).flatMap(({ name, calls, happened }) =>
    [...kills, end].flatMap((moment) => {
      const { rows } = moment.store
      const begun = calls.reduce((sum, call) => sum + started(rows, call).length, 0)
      const done = calls.every((call) => hasResult(rows, call))
      return [
        ...(happened(moment, undefined) <= begun ? [] : [`I5: ${name} happened, and ${begun} intents were stored`]),
        ...(done && happened(end, moment) > 0 ? [`I5: ${name} happened again behind its stored result`] : [])
      ]
    })
  )
}

/** One execution each, and one more for each "again" of a person. */
const repeats = ({ end: { effects, store }, labels, replies }: Evidence): Complaints =>
  Array.from(new Set(effects)).flatMap((name) => {
    const calls = labels.get(name) ?? writing(store.rows, name)
    const again = replies.filter(({ call_id, decision }) => calls.includes(call_id) && decision === "retry").length
    const ran = countIn(effects, name)
    return ran <= (labels.get(name)?.length ?? 1) + again
      ? []
      : [`I6: ${name} ran ${ran} times, a person said again ${again} times`]
  })

/** Whose outcome a look at the file tells. */
const known = ({ end: { store }, writers }: Evidence): Complaints =>
  of(store.rows, "tool_result", "approval_request").flatMap((row) => {
    if (!Array.from(writers.values()).includes(callOf(row))) return []
    const asked = row.type === "approval_request" && row.body.kind === "recovery"
    return asked || row.body.status === "uncertain"
      ? [`DESIGN 7: ${callOf(row)} was asked about, and the file says it`]
      : []
  })

/** A question that was open at a kill is the same one afterwards. */
const questions = ({ end: { store } }: Evidence): Complaints => {
  const asked = of(store.rows, "approval_request").filter(({ body }) => body.kind === "tool")
  const ids = new Map<string, Set<unknown>>()
  for (const row of asked) ids.set(callOf(row), (ids.get(callOf(row)) ?? new Set()).add(row.body.request_id))
  return Array.from(ids).flatMap(([call, all]) =>
    all.size === 1 ? [] : [`C7: ${call} was asked about ${all.size} times`]
  )
}

const contents = ({ end: { files }, ends }: Evidence): Complaints =>
  Array.from(ends).flatMap(([path, text]) => {
    const now = files.get(path)?.text
    return now === text ? [] : [`${path} says ${JSON.stringify(now)}`]
  })

const digestOf = (call: Row): string =>
  createHash("sha256")
    .update(`${String(call.body.tool_name)}\n${stringify(JSON.parse(String(call.body.content)))}`)
    .digest("hex")

const allowed = ({ end: { store } }: Evidence): Complaints =>
  of(store.rows, "tool_started").flatMap((start) => {
    const call = of(store.rows, "tool_call").find((row) => callOf(row) === callOf(start))
    const decisions = of(store.rows, "approval_resolved").filter(
      (row) => callOf(row) === callOf(start) && row.pos < start.pos
    )
    const [last, decision] = [decisions.at(-1), decisions.findLast(isAllow)]
    const wanted = last === decision || last?.body.decision === "retry"
    if (call === undefined || decision === undefined || !wanted) return [`I7: ${callOf(start)} began without an allow`]
    return decision.body.digest === digestOf(call) ? [] : [`I7: ${callOf(start)} is not what was allowed`]
  })

const requests = ({ end: { store }, kills, pauses, requests: asked }: Evidence): Complaints => {
  const bad = asked.flatMap(({ complaints }) => complaints.map((complaint) => `I8: ${complaint}`))
  // A summary is an answer, too.
  const summaries = of(store.rows, "compacted").filter(({ body }) => body.summary !== "").length
  const answers = of(store.rows, "text_completed").length + summaries
  const cut = [...kills, ...pauses].reduce((sum, { store }) => sum + asking(store), 0)
  const canceled = of(store.rows, "task_canceled").length
  const calls = of(store.rows, "tool_call").map(callOf)
  const results = of(store.rows, "tool_result").map(callOf)
  return [
    ...bad,
    ...(asked.length <= answers + cut + canceled
      ? []
      : [`I8: ${asked.length} requests for ${answers} answers and ${cut} cuts`]),
    ...(calls.toSorted().join() === results.toSorted().join()
      ? []
      : [`I8: calls ${calls.join()} have results ${results.join()}`])
  ]
}

const usage = ({ end: { store } }: Evidence): Complaints => {
  const totals = of(store.rows, "usage").map(({ body }) => {
    const { input_tokens, output_tokens } = body.session_usage as { input_tokens: number; output_tokens: number }
    return input_tokens + output_tokens
  })
  return totals.every((total, i) => i === 0 || total >= (totals[i - 1] ?? 0))
    ? []
    : [`I10: usage went down: ${totals.join(" ")}`]
}

const owners = ({ end, kills }: Evidence): Complaints => {
  const epochs = [...kills.map(({ store }) => store.epoch), end.store.epoch]
  return epochs.every((epoch, i) => i === 0 || epoch >= (epochs[i - 1] ?? 0)) ? [] : [`I11: epochs ${epochs.join(" ")}`]
}

/** A grant and its decision are both there or both absent, at every moment. */
const grants = ({ end, kills }: Evidence): Complaints =>
  [...kills, end].flatMap(({ store }) => {
    const decided = of(store.rows, "approval_resolved").flatMap(({ body }) =>
      body.grant === undefined ? [] : [String((body.grant as { grant_id: unknown }).grant_id)]
    )
    const audited = of(store.rows, "approval_resolved").length
    return [
      ...(decided.toSorted().join() === store.grants.toSorted().join()
        ? []
        : [`C19: grants ${store.grants.join()} for ${decided.join()}`]),
      ...(audited === store.audited ? [] : [`C19: ${store.audited} audit entries for ${audited} decisions`])
    ]
  })

const leftFiles = ({ end: { files } }: Evidence): Complaints =>
  Array.from(files.keys())
    .filter((path) => path.includes(".claw-"))
    .map((path) => `a temporary file stayed: ${path}`)

export const check = (evidence: Evidence): Complaints => [
  ...terminals(evidence),
  ...prompts(evidence),
  ...sent(evidence),
  ...numbers(evidence),
  ...misplaced(evidence.end.store.rows),
  ...intents(evidence),
  ...repeats(evidence),
  ...allowed(evidence),
  ...requests(evidence),
  ...(evidence.survivors.length === 0 ? [] : [`I9: still alive: ${evidence.survivors.join(" ")}`]),
  ...usage(evidence),
  ...owners(evidence),
  ...(evidence.answersAgain ? [] : ["I12: the session takes no new prompt"]),
  ...grants(evidence),
  ...known(evidence),
  ...questions(evidence),
  ...contents(evidence),
  ...leftFiles(evidence)
]
