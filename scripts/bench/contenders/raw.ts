/**
 * The floor of anything built on fetch: global `fetch`, a scan for events, JSON.parse of each, one callback.
 */
import type { Contender, ContenderOptions } from "./contender.ts"
import { type Delta, overLoop } from "./loop.ts"

const parser = (take: (delta: Delta) => void) => {
  let rest = ""
  return (text: string): void => {
    const whole = rest === "" ? text : rest + text
    let from = 0
    for (let end = whole.indexOf("\n", from); end >= 0; end = whole.indexOf("\n", from)) {
      // 91 is `[`: the event [DONE].
      if (whole.startsWith("data: ", from) && whole.charCodeAt(from + 6) !== 91) {
        const { choices } = JSON.parse(whole.slice(from + 6, end)) as { choices: ReadonlyArray<{ delta: Delta }> }
        if (choices[0] !== undefined) take(choices[0].delta)
      }
      from = end + 1
    }
    rest = from === whole.length ? "" : whole.slice(from)
  }
}

export const make = ({ base_url }: ContenderOptions): Contender => {
  const url = `${base_url}/chat/completions`
  const headers = { "content-type": "application/json", authorization: "Bearer bench" }
  return overLoop(async (body, signal, take) => {
    const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body), signal })
    if (!response.ok || response.body === null) throw new Error(`HTTP ${response.status}`)
    const feed = parser(take)
    const utf8 = new TextDecoder()
    const reader = response.body.getReader()
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      feed(utf8.decode(read.value, { stream: true }))
    }
  })
}
