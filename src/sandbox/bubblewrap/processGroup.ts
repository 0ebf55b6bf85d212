/**
 * A limit on processes where the kernel's own does not count: the superuser is exempt from RLIMIT_NPROC, so that his
 * calls are put into a control group of their own, where he has one to give (cgroup v1 `pids`, or v2).
 * Owns: making, filling and removing that group. Where there is none, nothing is done; the self-test says so.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { IsolationSettings } from "../Isolation.ts"

export interface Group {
  readonly admit: (pid: number) => void
  readonly remove: () => void
}

const NONE: Group = { admit: () => {}, remove: () => {} }
const V1 = "/sys/fs/cgroup/pids"
const V2 = "/sys/fs/cgroup"
let groups = 0

const attempt = (action: () => void): boolean => {
  try {
    action()
    return true
  } catch {
    return false
  }
}

const hasPids = (file: string): boolean => {
  try {
    return readFileSync(file, "latin1").split(/\s+/).includes("pids")
  } catch {
    return false
  }
}

const rootOf = (): string | undefined => {
  if (existsSync(join(V1, "cgroup.procs"))) return V1
  return hasPids(join(V2, "cgroup.subtree_control")) ? V2 : undefined
}

let cleaned = false

/** Of claws that were killed. A group with anybody in it cannot be removed. */
const removeDead = (root: string): void => {
  if (cleaned) return
  cleaned = true
  for (const name of readdirSync(root)) {
    const [, pid] = /^claw-(\d+)-\d+$/.exec(name) ?? []
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) attempt(() => rmdirSync(join(root, name)))
  }
}

export const limitProcesses = ({ processes }: IsolationSettings): Group => {
  const root = process.getuid?.() === 0 ? rootOf() : undefined
  if (root === undefined) return NONE
  attempt(() => removeDead(root))
  const group = join(root, `claw-${process.pid}-${groups++}`)
  const made = attempt(() => {
    mkdirSync(group)
    writeFileSync(join(group, "pids.max"), String(processes))
  })
  if (!made) {
    attempt(() => rmdirSync(group))
    return NONE
  }
  return {
    admit: (pid) => void attempt(() => writeFileSync(join(group, "cgroup.procs"), String(pid))),
    remove: () => void attempt(() => rmdirSync(group))
  }
}
