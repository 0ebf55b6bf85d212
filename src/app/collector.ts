/**
 * How a server collects garbage. Owns: one flag of V8, set while nothing is being marked yet.
 *
 * Marking beside the program takes as many cores as it gets. On two of them it took more than one core for a third of a
 * second every few seconds, and every stream waited. One core at most does it there: marking in steps of the program's
 * own, without any, ends in a pause of 200 to 300 ms, since nothing young is collected meanwhile. 500 streams for 40 s in
 * one run: p99 57 to 74 ms and 396 MiB so, 225 ms and 698 MiB in steps. From four cores on V8 may do as it likes.
 */
import { availableParallelism } from "node:os"
import { setFlagsFromString } from "node:v8"

const ENOUGH = 4

export const collectOnOneCore = (): void => {
  if (availableParallelism() < ENOUGH) setFlagsFromString("--concurrent-marking-max-worker-num=1")
}
