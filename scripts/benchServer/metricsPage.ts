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
