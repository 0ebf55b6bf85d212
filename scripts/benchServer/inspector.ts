/**
 * What a Node holds, asked through its inspector. Owns: one question at a time over one connection, closed behind the
 * answer, so that what asks holds nothing in what is asked.
 */
import { MIB, sleep } from "../bench/samples.ts"

interface Asked {
  readonly webSocketDebuggerUrl: string
}

/** Whom to ask: the program (`list`; in a browser, its first page), or a browser itself (`version`). */
export const pageOf = async (port: number, what: "list" | "version" = "list"): Promise<string> => {
  for (let tries = 0; ; tries++) {
    try {
      const answer = await fetch(`http://127.0.0.1:${port}/json/${what}`)
      const [target] = [(await answer.json()) as ReadonlyArray<Asked> | Asked].flat()
      if (target !== undefined) return target.webSocketDebuggerUrl
    } catch (error) {
      if (tries > 50) throw error
    }
    await sleep(100)
  }
}

/** The result of one method of the protocol that inspectors and browsers speak. */
export const ask = async (url: string, method: string, params = {}): Promise<unknown> => {
  const socket = new WebSocket(url)
  const answer = new Promise<unknown>((done, fail) => {
    socket.addEventListener("error", () => fail(new Error("the inspector does not answer")))
    socket.addEventListener("open", () => socket.send(JSON.stringify({ id: 1, method, params })))
    socket.addEventListener("message", ({ data }) => {
      const message = JSON.parse(String(data)) as Readonly<Record<"id" | "result" | "error", unknown>>
      if (message.id !== 1) return
      if (message.error === undefined) done(message.result)
      else fail(new Error(`${method}: ${JSON.stringify(message.error)}`))
    })
  })
  return answer.finally(() => socket.close())
}

const asked = async (port: number, method: string, params = {}): Promise<unknown> =>
  ask(await pageOf(port), method, params)

/** All garbage goes: what is left is held by somebody. An engine left alone collects when it likes, at rest perhaps never. */
export const collect = (port: number): Promise<unknown> => asked(port, "HeapProfiler.collectGarbage")

/** MiB of objects and of the buffers behind them; behind `collect` it is what somebody holds. */
export const held = async (port: number): Promise<number> => {
  const used = (await asked(port, "Runtime.getHeapUsage")) as Readonly<
    Record<"usedSize" | "backingStorageSize", number>
  >
  return (used.usedSize + used.backingStorageSize) / MIB
}

/** Timers, sockets, pipes, requests: whatever keeps that process awake. */
export const resources = async (port: number): Promise<number> => {
  const evaluated = (await asked(port, "Runtime.evaluate", {
    expression: "process.getActiveResourcesInfo().length",
    returnByValue: true
  })) as { readonly result: { readonly value: number } }
  return evaluated.result.value
}
