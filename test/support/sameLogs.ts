/**
 * What the clients of a scenario were told over each transport, compared. Owns: what may differ: times, ids (by the
 * order in which they came), how a stream's text was cut. Does not own: what a scenario itself asserts.
 * Invariant: a log ends with the last event that its scenario waited for; what comes behind it nobody promised yet.
 */
import { assert, it } from "@effect/vitest"
import { expect } from "vitest"
import type { ServerEvent } from "../../src/protocol/ServerEvent.ts"

export interface Told {
  readonly events: ReadonlyArray<ServerEvent>
  /** How many of them the scenario has waited for. */
  readonly until: () => number
}

/** Scenario → transport → its clients, in the order in which they came. */
type Logs = Map<string, Map<string, Array<Told>>>
const files = new Map<string | undefined, Logs>()

const here = (): { readonly logs: Logs; readonly title: string } => {
  const { testPath, currentTestName = "" } = expect.getState()
  const logs = files.get(testPath) ?? new Map()
  files.set(testPath, logs)
  return { logs, title: currentTestName.split(" > ").at(-1) ?? "" }
}

export const record = (transport: string, told: Told): void => {
  const { logs, title } = here()
  const byTransport = logs.get(title) ?? new Map<string, Array<Told>>()
  logs.set(title, byTransport)
  byTransport.set(transport, [...(byTransport.get(transport) ?? []), told])
}

const isTime = (event: ServerEvent) => event.type === "ping"
/** `attached`: how soon it is seen that a peer has gone is the transport's own. */
const TIMES = new Set(["ts", "expires_at", "duration_ms", "retry_after_ms", "deadline", "attached"])

/** One delta for each run of them. */
const merged = (events: ReadonlyArray<ServerEvent>): ReadonlyArray<ServerEvent> => {
  const all: Array<ServerEvent> = []
  for (const event of events) {
    const last = all.at(-1)
    const goesOn = event.type === "text_delta" && last?.type === "text_delta" && last.stream_id === event.stream_id
    if (goesOn) all[all.length - 1] = { ...last, content: last.content + event.content }
    else all.push(event)
  }
  return all
}

const normalised = (transport: string, clients: ReadonlyArray<Told>) => {
  const ids = new Map<string, string>()
  const named = (id: string) => {
    if (!ids.has(id)) ids.set(id, `${id.split("_")[0]}_${ids.size}`)
    return ids.get(id) ?? ""
  }
  const plain = (key: string, value: unknown) => {
    if (TIMES.has(key)) return undefined
    if (typeof value !== "string") return value
    return value.replaceAll(`${transport}-channel-`, "channel-").replaceAll(/[a-z]+_[0-9a-f-]{30,}/g, named)
  }
  return clients.map(({ events, until }) =>
    merged(events.slice(0, until()).filter((event) => !isTime(event))).map(
      (event) => JSON.parse(JSON.stringify(event, plain)) as unknown
    )
  )
}

/** The last test of a file of scenarios. `apart`: those whose log depends on when things happen. */
export const tellTheSame = (apart: ReadonlyArray<RegExp> = []): void =>
  it("every scenario tells the same over every transport (R185, R224)", () => {
    const { logs } = here()
    for (const [title, byTransport] of logs) {
      const [first, ...others] = byTransport
      if (first === undefined || apart.some((pattern) => pattern.test(title))) continue
      for (const [transport, clients] of others) {
        assert.deepStrictEqual(normalised(transport, clients), normalised(...first), `${title}, over ${transport}`)
      }
    }
    assert.isAbove(logs.size, 0)
  })
