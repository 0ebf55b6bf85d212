/**
 * How the program collects garbage. Owns: two flags of V8, the only ones that are set.
 *
 * Marking beside the program takes as many cores as it gets. On two of them it took more than one core for a third of a
 * second every few seconds, and every stream waited. One core at most does it there: marking in steps of the program's
 * own, without any, ends in a pause of 200 to 300 ms, since nothing young is collected meanwhile. 500 streams for 40 s in
 * one run: p99 57 to 74 ms and 396 MiB so, 225 ms and 698 MiB in steps. From four cores on V8 may do as it likes.
 *
 * What is young grows with what survives, up to 2 × 32 MiB, and hardly shrinks: streams then run through all of it, each
 * page new to the processor and, the first time, to the kernel. Half the time of a fast answer went into such pages.
 * Bounded to 16 MiB, 500 runs in one program take 195 KiB each and p99 is 3.3 ms (400 KiB and 14 to 24 ms without), and
 * a server with 500 streams 280 MiB and p99 9 ms (360 MiB and 16 ms). To 8 MiB the server collects so often that it has
 * no core left: p99 200 ms.
 */
import { availableParallelism } from "node:os"
import { PerformanceObserver } from "node:perf_hooks"
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8"

const ENOUGH = 4

export const collectOnOneCore = (): void => {
  if (availableParallelism() < ENOUGH) setFlagsFromString("--concurrent-marking-max-worker-num=1")
}

/** Both halves together, bytes. */
const YOUNG = 16 * 1024 * 1024
const LOOK_MS = 1000

const isSmall = (): boolean =>
  (getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space")?.space_size ?? 0) < YOUNG

/**
 * From now on, as long as the process lives. A factor of 1 keeps it as it is; what an idle collector has made smaller may
 * grow again. It grows as often as it is collected, many times a second under load: until it is large enough each
 * collection is looked at, and behind that none.
 */
export const boundYoungGeneration = (): void => {
  let grows: boolean | undefined
  const look = (): void => {
    const may = isSmall()
    if (may === grows) return
    grows = may
    setFlagsFromString(`--semi-space-growth-factor=${may ? 2 : 1}`)
    if (may) collections.observe({ entryTypes: ["gc"] })
    else collections.disconnect()
  }
  const collections = new PerformanceObserver(look)
  look()
  setInterval(look, LOOK_MS).unref()
}
