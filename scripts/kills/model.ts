/**
 * The model of every run, outside of the processes that are killed: counts what it is asked, complains of histories
 * that a strict server would refuse. Owns: one HTTP server; a run is a path of it.
 */
import { createServer, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { historyViolations } from "../../test/support/fakeModelHistory.ts"

export interface Said {
  readonly role: string
  readonly content?: string | null
  readonly tool_calls?: ReadonlyArray<unknown>
}

export interface Call {
  readonly id: string
  readonly name: string
  readonly args: object
}

/** A text, or calls. */
export interface Answer {
  readonly text?: string
  readonly calls?: ReadonlyArray<Call>
}

export type Script = (messages: ReadonlyArray<Said>) => Answer

export interface Request {
  /** How many kills had happened when it came. */
  readonly kills: number
  readonly complaints: ReadonlyArray<string>
}

export interface Line {
  readonly base_url: string
  readonly requests: ReadonlyArray<Request>
}

export interface Model {
  /** A run's own model: asked at the URL that is given. */
  readonly line: (name: string, script: Script, kills: () => number) => Line
  readonly close: () => void
}

const base = { id: "chatcmpl-kills", object: "chat.completion.chunk", created: 1_700_000_000, model: "fake-model" }
const event = (value: object): string => `data: ${JSON.stringify({ ...base, ...value })}\n\n`
const delta = (value: object, finish_reason: string | null = null): string =>
  event({ choices: [{ index: 0, delta: value, finish_reason }] })
const USAGE = event({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } })

const chunks = ({ text, calls = [] }: Answer): ReadonlyArray<string> => [
  delta({ role: "assistant", content: "" }),
  ...(text === undefined ? [] : [delta({ content: text.slice(0, 3) }), delta({ content: text.slice(3) })]),
  ...calls.map(({ id, name, args }, index) =>
    delta({
      tool_calls: [{ index, id, type: "function", function: { name, arguments: JSON.stringify(args) } }]
    })
  ),
  delta({}, calls.length > 0 ? "tool_calls" : "stop"),
  USAGE,
  "data: [DONE]\n\n"
]

/** One packet each, so that text is shown before the answer has ended. */
const send = async (response: ServerResponse, answer: Answer): Promise<void> => {
  response.writeHead(200, { "content-type": "text/event-stream" })
  for (const chunk of chunks(answer)) {
    if (response.destroyed) return
    await new Promise<void>((done) => response.write(chunk, () => setImmediate(done)))
  }
  response.end()
}

interface Run {
  readonly script: Script
  readonly requests: Array<Request>
  readonly kills: () => number
}

const answerTo = (run: Run, body: string, response: ServerResponse): void => {
  const value = JSON.parse(body) as { readonly messages: ReadonlyArray<Said> }
  run.requests.push({ kills: run.kills(), complaints: historyViolations(value) })
  void send(response, run.script(value.messages))
}

const listening = (server: Server): Promise<number> =>
  new Promise((done) => server.listen(0, "127.0.0.1", () => done((server.address() as AddressInfo).port)))

export const openModel = async (): Promise<Model> => {
  const runs = new Map<string, Run>()
  const server = createServer({ noDelay: true }, (request, response) => {
    const run = runs.get(request.url?.split("/")[1] ?? "")
    const pieces: Array<Buffer> = []
    response.on("error", () => {})
    request.on("error", () => {})
    request.on("data", (piece: Buffer) => void pieces.push(piece))
    request.on("end", () => {
      if (run !== undefined) return answerTo(run, Buffer.concat(pieces).toString(), response)
      response.writeHead(404).end()
    })
  })
  const port = await listening(server)
  return {
    line: (name, script, kills) => {
      const run: Run = { script, requests: [], kills }
      runs.set(name, run)
      return { base_url: `http://127.0.0.1:${port}/${name}/v1`, requests: run.requests }
    },
    close: () => {
      server.close()
      server.closeAllConnections()
    }
  }
}
