/**
 * Which living processes belong to one call: its group, its session, its descendants, and whoever carries its marker
 * or holds its output, so that `setsid` is no way out (LESSONS 17).
 * Owns: reading /proc. Does not own: ending anything (endProcesses). Invariant: a zombie is gone; it can do nothing
 * any more, and a container's first process may never collect it.
 */
import { readdirSync, readFileSync, readlinkSync } from "node:fs"

/** Carried by every child: how an escaped process is recognised, also after a crash of ours. */
export const MARKER = "CLAW_CALL_ID"

export interface Family {
  readonly leader: number
  /** Is the group of this number ours? Not where the number may have been given to somebody else. */
  readonly ownsGroup: boolean
  readonly marker: string
  /** What /proc/PID/fd names the call's output, e.g. `pipe:[123]`. */
  readonly outputs: ReadonlyArray<string>
  /** Members seen before, by pid: parents die, and with them the proof of descent. */
  readonly seen: Map<number, string>
}

interface Row {
  readonly pid: number
  readonly state: string
  readonly parent: number
  readonly group: number
  readonly session: number
  readonly start: string
}

const attempt = <A>(read: () => A): A | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}

const isLinux = process.platform === "linux"

export const readRow = (pid: number): Row | undefined => {
  const text = attempt(() => readFileSync(`/proc/${pid}/stat`, "latin1"))
  if (text === undefined) return undefined
  // The name in parentheses may hold anything, blanks and parentheses included.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
  const [state = "X", parent, group, session] = fields
  return { pid, state, parent: Number(parent), group: Number(group), session: Number(session), start: fields[19] ?? "" }
}

const isLiving = (row: Row): boolean => row.state !== "Z" && row.state !== "X"

const bootId = (): string =>
  attempt(() => readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim()) ?? "unknown"

/** Names this very process: its start, in ticks since a boot that is named too. */
export const startTimeOf = (pid: number): string => `${readRow(pid)?.start ?? "gone"}@${bootId()}`

/** Pipes and sockets only: a thing that strangers hold too, such as the null device, proves nothing. */
export const outputsOf = (pid: number): ReadonlyArray<string> =>
  [1, 2]
    .flatMap((fd) => attempt(() => readlinkSync(`/proc/${pid}/fd/${fd}`)) ?? [])
    .filter((link) => /^(?:pipe|socket):\[|\/claw-pipes-/.test(link))

/** Process ids only grow until they wrap, so that a family is found among those after its leader. */
const candidates = (leader: number): ReadonlyArray<number> => {
  const last = Number(
    attempt(() => readFileSync("/proc/loadavg", "latin1"))
      ?.trim()
      .split(" ")
      .at(-1) ?? 0
  )
  const pids = (attempt(() => readdirSync("/proc")) ?? []).map(Number).filter((pid) => Number.isInteger(pid) && pid > 1)
  return last < leader ? pids : pids.filter((pid) => pid >= leader)
}

const carriesMarker = (pid: number, marker: string): boolean =>
  attempt(() => readFileSync(`/proc/${pid}/environ`, "latin1"))
    ?.split("\u0000")
    .includes(`${MARKER}=${marker}`) ?? false

const holdsOutput = (pid: number, outputs: ReadonlyArray<string>): boolean =>
  outputs.length > 0 && outputsOf(pid).some((output) => outputs.includes(output))

const belongs = (family: Family, row: Row): boolean =>
  (family.ownsGroup && (row.group === family.leader || row.session === family.leader)) ||
  family.seen.get(row.pid) === row.start ||
  carriesMarker(row.pid, family.marker) ||
  holdsOutput(row.pid, family.outputs)

const addDescendants = (members: Map<number, Row>, rows: ReadonlyArray<Row>): void => {
  let grown = true
  while (grown) {
    const children = rows.filter((row) => !members.has(row.pid) && members.has(row.parent))
    for (const row of children) members.set(row.pid, row)
    grown = children.length > 0
  }
}

export interface Member {
  readonly pid: number
  /** A signal to the leader's group reaches it. */
  readonly grouped: boolean
}

const scan = (family: Family): ReadonlyArray<Member> => {
  const rows = candidates(family.leader)
    .filter((pid) => pid !== process.pid)
    .flatMap((pid) => readRow(pid) ?? [])
    .filter(isLiving)
  const members = new Map(rows.filter((row) => belongs(family, row)).map((row) => [row.pid, row]))
  addDescendants(members, rows)
  for (const row of members.values()) family.seen.set(row.pid, row.start)
  return Array.from(members.values(), ({ group, pid }) => ({
    pid,
    grouped: family.ownsGroup && group === family.leader
  }))
}

const groupAnswers = (leader: number): boolean => attempt(() => process.kill(-leader, 0)) ?? false

/** Without /proc the group stands for all of them. */
export const livingMembers = (family: Family): ReadonlyArray<Member> => {
  if (isLinux) return scan(family)
  return family.ownsGroup && groupAnswers(family.leader) ? [{ pid: family.leader, grouped: true }] : []
}
