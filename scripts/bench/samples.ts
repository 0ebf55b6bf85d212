/**
 * Numbers of a measurement: clock, CPU, quantiles, memory. Owns: what is read from the process and how it is summed up.
 * The clock is CLOCK_MONOTONIC, the same in every process of a machine, so that a server's times and a client's can be
 * subtracted from each other.
 */

/** Milliseconds of CLOCK_MONOTONIC. */
export const now = (): number => Number(process.hrtime.bigint()) / 1e6

/** Microseconds of CLOCK_MONOTONIC, whole. */
export const nowMicros = (): number => Number(process.hrtime.bigint() / 1000n)

/** Milliseconds of CPU this process has used, user and system. */
export const cpu = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

export const sleep = (ms: number): Promise<void> =>
  new Promise((done) => {
    setTimeout(done, ms)
  })

/** The value below which the part `p` of the values lies; NaN of nothing. */
export const quantile = (values: ReadonlyArray<number>, p: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(p * sorted.length))] ?? Number.NaN
}

export const median = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/** Collects garbage until nothing more goes; needs `--expose-gc`. Weak references need turns of the loop between. */
export const collect = async (): Promise<void> => {
  for (let i = 0; i < 4; i++) {
    globalThis.gc?.()
    await sleep(20)
  }
}

export const KIB = 1024
export const MIB = 1024 * 1024
