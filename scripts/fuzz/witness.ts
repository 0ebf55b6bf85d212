/**
 * A client that behaves, beside all that does not: it pings without a pause, and each ping has to be answered. Owns: its
 * connection and the longest it waited.
 */
import { now, sleep } from "../bench/samples.ts"
import { type Kind, open } from "../benchServer/client.ts"
import type { Served } from "../benchServer/served.ts"

const EVERY_MS = 50
const PATIENCE_MS = 10_000

export interface Witness {
  readonly pongs: () => number
  readonly longest_ms: () => number
  readonly fault: () => string | undefined
  readonly stop: () => Promise<void>
}

export const witness = async (server: Served, kind: Kind): Promise<Witness> => {
  const client = await open(kind, server)
  let pongs = 0
  let longest = 0
  let fault: string | undefined
  const state = { over: false }
  const ask = async (): Promise<void> => {
    const nonce = String(pongs)
    const pong = client.next("pong")
    const at = now()
    client.send({ type: "ping", nonce })
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, fail) => {
      timer = setTimeout(() => fail(new Error(`no pong within ${PATIENCE_MS} ms`)), PATIENCE_MS)
    })
    const said = await Promise.race([pong, late]).finally(() => clearTimeout(timer))
    if (said.nonce !== nonce) throw new Error(`pong ${said.nonce} to ping ${nonce}`)
    longest = Math.max(longest, now() - at)
    pongs++
  }
  const loop = async (): Promise<void> => {
    while (!state.over) {
      await ask()
      await sleep(EVERY_MS)
    }
  }
  const running = loop().catch((error: unknown) => {
    if (!state.over) fault = `the ${kind} client that behaves: ${(error as Error).message}`
  })
  return {
    pongs: () => pongs,
    longest_ms: () => longest,
    fault: () => fault,
    stop: async () => {
      state.over = true
      client.destroy()
      await running
    }
  }
}
