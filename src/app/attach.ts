/**
 * `claw attach`: the conversation of this terminal with a session of a server. Owns: which server, the token, what is
 * said when it cannot be reached. Invariants: a token is never taken from the command line, also not inside a URL;
 * leaving is left to the server's disconnect rule.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Deferred, Effect, Queue, Redacted, Scope } from "effect"
import type { CommandLine } from "../cli/CommandLine.ts"
import { EXIT, type Locale } from "../cli/Commands.ts"
import { describe } from "../cli/Complaint.ts"
import { openHistory } from "../cli/InputHistory.ts"
import * as NodeTerminal from "../cli/node/Terminal.ts"
import { Output } from "../cli/Output.ts"
import { remoteSession, type Unreached, wirelessAround } from "../cli/RemoteSession.ts"
import { repl, type ReplOptions } from "../cli/Repl.ts"
import { replPlain } from "../cli/ReplPlain.ts"
import { tcpTransport } from "../cli/TcpTransport.ts"
import type { ConfigShape } from "../config/AppConfig.ts"
import { version } from "../config/Version.ts"
import type { ErrorBody } from "../domain/ErrorCode.ts"
import type { SessionId } from "../domain/Ids.ts"
import type { Create } from "../protocol/ClientMessage.ts"
import type { Transport } from "../protocol/ClientContract.ts"
import { webSocketTransport } from "../protocol/WebSocketTransport.ts"
import { RuntimeError } from "../runtime/RuntimeError.ts"
import { Failure, refusal } from "./failure.ts"
import { writtenHere } from "./told.ts"
import { sessionIdOf } from "./workspace.ts"

const DEFAULT_URL = "ws://127.0.0.1:8081/ws"
const TCP_PORT = 8080

const texts = {
  en: {
    unreachable: (url: string) => `No claw server can be reached at ${url}.`,
    silent: (url: string) => `What listens at ${url} says nothing: this is not a claw server.`,
    stranger: (url: string) => `What listens at ${url} is not a claw server.`,
    token: "The server does not accept this token; CLAW_TOKEN or --token-file holds it.",
    noToken: "The server wants a token: set CLAW_TOKEN or give --token-file FILE.",
    session: (id: string) => `The server has no session ${id}.`,
    attached: (id: string, url: string) => `attached to ${id} at ${url}`,
    goes_on: (id: string) => `the task goes on; claw attach ${id} comes back to it.`
  },
  "zh-CN": {
    unreachable: (url: string) => `无法连接位于 ${url} 的 claw 服务器。`,
    silent: (url: string) => `${url} 没有应答：那不是 claw 服务器。`,
    stranger: (url: string) => `${url} 不是 claw 服务器。`,
    token: "服务器不接受此令牌；请检查 CLAW_TOKEN 或 --token-file。",
    noToken: "服务器需要令牌：请设置 CLAW_TOKEN 或使用 --token-file FILE。",
    session: (id: string) => `服务器没有会话 ${id}。`,
    attached: (id: string, url: string) => `已连接 ${url} 的会话 ${id}`,
    goes_on: (id: string) => `任务仍在继续；用 claw attach ${id} 回来。`
  }
} satisfies Record<Locale, object>

const usage = (detail: string, zh: string) => Effect.fail(refusal(detail, zh))

interface Target {
  readonly url: string
  readonly transport: Transport
}

const targetOf = (given: string): Effect.Effect<Target, Failure> => {
  const url = URL.parse(given)
  if (url === null || !["ws:", "wss:", "tcp:"].includes(url.protocol) || url.hostname === "")
    return usage(
      "--url is ws://HOST:PORT/ws, wss://HOST/ws or tcp://HOST:PORT.",
      "--url 的形式为 ws://HOST:PORT/ws、wss://HOST/ws 或 tcp://HOST:PORT。"
    )
  if (`${url.username}${url.password}${url.search}${url.hash}` !== "")
    return usage(
      "--url holds an address only; a token stands in CLAW_TOKEN or in a file (--token-file FILE).",
      "--url 只含地址；令牌放在 CLAW_TOKEN 或文件中（--token-file FILE）。"
    )
  if (url.protocol === "tcp:") {
    const host = url.hostname.replace(/^\[|\]$/g, "")
    const port = url.port === "" ? TCP_PORT : Number(url.port)
    return Effect.succeed({ url: `tcp://${url.hostname}:${port}`, transport: tcpTransport({ host, port }) })
  }
  if (url.pathname === "/") url.pathname = "/ws"
  return Effect.succeed({ url: url.href, transport: webSocketTransport(url.href) })
}

/** The file's before the variable's: it was asked for here. */
const tokenOf = ({ values }: CommandLine, config: ConfigShape): Effect.Effect<string | undefined, Failure> => {
  const file = values["token-file"]
  if (file === undefined) return Effect.succeed(config.token === undefined ? undefined : Redacted.value(config.token))
  return Effect.try({
    try: () => {
      const token = readFileSync(file, "utf8").trim()
      if (token === "" || /\s/.test(token)) throw new Error("no token")
      return token
    },
    catch: () =>
      refusal(`${file} cannot be read, or does not hold one token.`, `无法读取 ${file}，或其中不是一个令牌。`)
  })
}

const createOf = ({ values }: CommandLine, config: ConfigShape): Effect.Effect<Create, Failure> => {
  const { mode } = values
  if (mode === "bypass")
    return usage(
      "bypass is set where the server starts: claw serve --mode bypass.",
      "bypass 在启动服务器处设置：claw serve --mode bypass。"
    )
  return Effect.succeed({
    ...(values["cwd"] === undefined ? {} : { workspace: config.workspace }),
    ...(mode === undefined ? {} : { mode: mode as "ask" }),
    ...(values["model"] === undefined ? {} : { model: values["model"] })
  })
}

interface Asked {
  readonly url: string
  readonly locale: Locale
  readonly session_id: SessionId | undefined
  readonly token: string | undefined
}

/** Why it is not attached, or not any more, in one sentence. */
const sentence = (why: Unreached, { url, locale, session_id, token }: Asked): string => {
  const text = texts[locale]
  if (why === "unreachable" || why === "silent") return text[why](url)
  if (why.code === "bad_json") return text.stranger(url)
  if (why.code === "unauthenticated") return `${token === undefined ? text.noToken : text.token} [${why.code}]`
  if (why.code === "session_not_found") return `${text.session(session_id ?? "")} [${why.code}]`
  return describe.error(why, locale)
}

type Placed = Pick<ReplOptions, "locale" | "tools" | "sessions" | "open" | "session" | "notices">

const conversation = Effect.fnUntraced(function* (config: ConfigShape, url: string, placed: Placed) {
  const { locale, session } = placed
  const { meta, model, mode, damaged, read_only } = yield* session.status
  const options: ReplOptions = {
    ...placed,
    written: yield* writtenHere(config),
    leaves: true,
    workspace: meta.workspace,
    banner: [
      `claw ${version} · ${model} · ${mode} · ${meta.workspace}`,
      texts[locale].attached(session.session_id, url),
      ...(damaged === 0 ? [] : [describe.damaged(damaged, locale, read_only)]),
      ""
    ],
    history: openHistory(join(config.state_dir, "history"))
  }
  const plain = !process.stdin.isTTY || !process.stdout.isTTY || config.term === "dumb"
  if (plain) return yield* replPlain(options, process.stdin)
  const output = yield* Output
  const terminal = NodeTerminal.layer({ input: process.stdin, output: process.stdout, color: output.color })
  return yield* Effect.provide(repl(options), terminal)
})

export const attach = Effect.fnUntraced(function* (line: CommandLine, config: ConfigShape) {
  const { url, transport } = yield* targetOf(line.values["url"] ?? DEFAULT_URL)
  const [operand] = line.operands
  const named = operand === undefined ? undefined : yield* sessionIdOf(operand)
  const token = yield* tokenOf(line, config)
  const { locale } = config
  const [notices, over] = [yield* Queue.unbounded<string>(), yield* Deferred.make<ErrorBody>()]
  const options = {
    transport,
    notices,
    over,
    locale,
    client: { name: "claw", version },
    detach: line.switches.has("detach"),
    create: yield* createOf(line, config),
    ...(token === undefined ? {} : { token })
  }
  const failed = (session_id: SessionId | undefined) => (why: Unreached) =>
    new Failure({ exit: EXIT.failed, detail: sentence(why, { url, locale, session_id, token }) })
  const reach = (session_id: SessionId | undefined) =>
    remoteSession({ ...options, ...(session_id === undefined ? {} : { session_id }) })
  const scope = yield* Effect.scope
  const open = (id: SessionId) =>
    reach(id).pipe(
      Effect.provideService(Scope.Scope, scope),
      Effect.mapError(
        (why) =>
          new RuntimeError({ code: typeof why === "string" ? "internal" : why.code, detail: failed(id)(why).detail })
      )
    )
  const session = yield* Effect.mapError(reach(named), failed(named))
  const ended = Effect.flatMap(Deferred.await(over), (error) => Effect.fail(failed(named)(error)))
  const placed = { ...wirelessAround(locale), open, session, notices }
  const left = yield* Effect.raceFirst(conversation(config, url, placed), ended)
  const { task } = yield* session.state
  if (options.detach && task !== undefined)
    yield* (yield* Output).err(`claw: ${texts[locale].goes_on(session.session_id)}\n`)
  return left
}, Effect.scoped)
