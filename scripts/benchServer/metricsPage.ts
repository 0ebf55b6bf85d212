/** What the server says of itself on /metrics, where it says it. Owns: one request and the search in its answer. */
import type { Target } from "./client.ts"

export const metricsPage = async ({ http }: Target): Promise<string> => {
  const answer = await fetch(`http://${http.host}:${http.port}/metrics`)
  const text = await answer.text()
  return answer.ok ? text : ""
}

/** The event loop's delay, p99 in milliseconds; absent where the server does not tell it. */
export const loopLag = async (server: Target): Promise<number | undefined> => {
  const page = await metricsPage(server)
  const line = page
    .split("\n")
    .find((text) => /^\w*event_?loop\w*(lag|delay)\w*\{?[^#]*/i.test(text) && /p99|0\.99/.test(text))
  if (line === undefined) return undefined
  const value = Number(line.slice(line.lastIndexOf(" ") + 1))
  return /_seconds/.test(line) ? value * 1000 : value
}

export const gauge = (page: string, name: string): number =>
  Number(
    page
      .split("\n")
      .find((line) => line.startsWith(`${name} `))
      ?.slice(name.length + 1)
  )

export interface Bucket {
  /** Seconds. */
  readonly le: number
  /** All that took at most so long. */
  readonly count: number
}

export const bucketsOf = (page: string, name: string): ReadonlyArray<Bucket> =>
  Array.from(page.matchAll(new RegExp(`^${name}_bucket\\{le="([^"]+)"\\} (\\d+)$`, "gm")), ([, le = "", count]) => ({
    le: le === "+Inf" ? Number.POSITIVE_INFINITY : Number(le),
    count: Number(count)
  })).toSorted((a, b) => a.le - b.le)

/** In seconds; evenly spread within a bucket, as Prometheus has it. */
export const quantileOf = (buckets: ReadonlyArray<Bucket>, q: number): number => {
  const wanted = (buckets.at(-1)?.count ?? 0) * q
  const at = buckets.findIndex(({ count }) => count >= wanted)
  const [found, below] = [buckets[at], buckets[at - 1]]
  if (found === undefined || wanted === 0) return Number.NaN
  const [from, less] = [below?.le ?? 0, below?.count ?? 0]
  return Number.isFinite(found.le) ? from + ((found.le - from) * (wanted - less)) / (found.count - less) : found.le
}
