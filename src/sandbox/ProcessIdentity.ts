/**
 * Which process one is, so that another process, also a later one, can tell whether it still lives. A number alone
 * would not do: numbers are given out again. Shape: `process 123@<start time>@<boot>`.
 */
import { startTimeOf } from "./processTable.ts"

let known: string | undefined

/** This process. */
export const own = (): string => (known ??= `process ${process.pid}@${startTimeOf(process.pid)}`)

/** Whether there is a process of that number; somebody else's is one as well. */
export const lives = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"
  }
}

/** Whether the process that said this of itself is still there. Anything else is nobody. */
export const isAlive = (identity: string): boolean => {
  const [, digits, start] = /^process (\d+)@(.*)$/s.exec(identity) ?? []
  const pid = Number(digits)
  return start !== undefined && Number.isSafeInteger(pid) && lives(pid) && startTimeOf(pid) === start
}
