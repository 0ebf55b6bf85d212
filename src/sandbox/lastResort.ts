/**
 * The end of claw without its orderly end (a second signal): what it started must not go on unwatched. Owns: which
 * families are being attended. Invariant: a process that exits kills every one of them first, at once and without a
 * grace. Against SIGKILL of claw itself helps only the next start (Leftover.ts).
 */
import { type Family, livingMembers } from "./processTable.ts"

const attended = new Set<Family>()

const kill = (pid: number): void => {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // It has gone by itself.
  }
}

const killAll = (): void => {
  for (const family of attended) {
    // Looked up first: who left the group is found through a parent that lives.
    const members = livingMembers(family)
    if (members.some(({ grouped }) => grouped)) kill(-family.leader)
    for (const { pid } of members) kill(pid)
  }
}

let listens = false

/** Until the given function is called, `family` does not outlive this process. */
export const attend = (family: Family): (() => void) => {
  if (!listens) process.on("exit", killAll)
  listens = true
  attended.add(family)
  return () => void attended.delete(family)
}
