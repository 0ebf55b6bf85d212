/**
 * `claw serve`: one process, many conversations (issue 3). Owns: what it says when it is ready, and its end.
 * Invariants: with `--json` the first line on standard output is the one that says `ready`, and every later one is a
 * log line; a signal drains and ends with 0, and whatever hangs is over five seconds after the deadline.
 */
import { Deferred, Effect } from "effect"
import { Attachments } from "../channel/Attachments.ts"
import { Channels } from "../channel/Channels.ts"
import type { CommandLine } from "../cli/CommandLine.ts"
import { EXIT, type Locale } from "../cli/Commands.ts"
import { Output } from "../cli/Output.ts"
import { width } from "../cli/Width.ts"
import type { ConfigShape } from "../config/AppConfig.ts"
import { ConfigError } from "../config/ConfigError.ts"
import { version } from "../config/Version.ts"
import { boundedSink, layer as logging, layerTo, type Sink } from "../observability/Logs.ts"
import { RuntimeManager } from "../runtime/RuntimeManager.ts"
import { Auth } from "../server/Auth.ts"
import { drain } from "../server/Drain.ts"
import { HttpListener } from "../server/HttpListener.ts"
import { ListenError } from "../server/Listening.ts"
import { judge } from "../server/ListenRules.ts"
import { isLoopback } from "../server/Origins.ts"
import { TcpServer } from "../server/TcpServer.ts"
import { collectOnOneCore } from "./collector.ts"
import { makeWorkspace } from "./demo.ts"
import { Endings } from "./endings.ts"
import { Failure } from "./failure.ts"
import { serverAllowed } from "./isolation.ts"
import { choose, missingIn } from "./model.ts"
import { server } from "./serverLayers.ts"
import { sayUntrusted } from "./trust.ts"
import { workspaceOf } from "./workspace.ts"

const LAST_MS = 4800

const texts = {
  en: {
    console: "console",
    docs: "docs",
    token: "token",
    tokens:
      "API tokens exist, so there is none for this start: use one of them, or, for the sessions of your terminal,",
    create: "claw token create --user local",
    bypass: "mode bypass asks nobody: whoever reaches this server can run anything as you.",
    stop: "Ctrl-C ends it in order: clients are told, tasks go on at the next start.",
    draining: "ending; once more to stop at once."
  },
  "zh-CN": {
    console: "控制台",
    docs: "文档",
    token: "令牌",
    tokens: "已有 API 令牌，因此本次启动不另发令牌：请使用其中之一；要访问终端里的会话，请运行",
    create: "claw token create --user local",
    bypass: "bypass 模式不会询问任何人：凡能连上此服务器者都能以你的身份运行任何命令。",
    stop: "按 Ctrl-C 有序结束：会通知客户端，任务在下次启动时继续。",
    draining: "正在结束；再按一次立即停止。"
  }
} satisfies Record<Locale, object>

interface Facts {
  readonly tcp: { readonly host: string; readonly port: number }
  readonly url: string
  readonly token: string | undefined
}

const readyLine = ({ tcp, url, token }: Facts): string =>
  `${JSON.stringify({ type: "ready", tcp, http: { url }, ...(token === undefined ? {} : { token }) })}\n`

/** Where the values of the banner begin. */
const COLUMN = 11

/** A start token that is not there would be looked for. */
const tokenLines = (token: string | undefined, { locale, server: { auth, host, oidc_issuer } }: ConfigShape) => {
  const text = texts[locale]
  if (token !== undefined || !auth || oidc_issuer !== undefined || !isLoopback(host)) return []
  return [
    [text.token, text.tokens],
    ["", text.create]
  ] as const
}

export const banner = ({ tcp, url, token }: Facts, config: ConfigShape, model: string): string => {
  const { locale, workspace } = config
  const text = texts[locale]
  const host = tcp.host.includes(":") ? `[${tcp.host}]` : tcp.host
  const line = (name: string, value: string) => `${name}${" ".repeat(COLUMN - width(name))}${value}`
  return [
    `claw ${version} · ${model} · ${workspace}`,
    line(text.console, token === undefined ? `${url}/` : `${url}/#token=${token}`),
    line("TCP", `${host}:${tcp.port}`),
    line("HTTP", url),
    line("WebSocket", `${url.replace(/^http/, "ws")}/ws`),
    line(text.docs, `${url}/docs`),
    ...tokenLines(token, config).map(([name, value]) => line(name, value)),
    text.stop,
    ""
  ].join("\n")
}

/** Standard output, once the line that says `ready` is out. */
const heldSink = (): Sink & { readonly open: () => void } => {
  const sink = boundedSink(process.stdout)
  let held: Array<string> | undefined = []
  return {
    write: (line) => (held === undefined ? sink.write(line) : void held.push(line)),
    open: () => {
      const lines = held ?? []
      held = undefined
      lines.forEach(sink.write)
    }
  }
}

/** What starts wrong is a sentence, and a wrong setting is wrong usage. */
const translate = (error: unknown): unknown => {
  if (error instanceof ListenError) return new Failure({ exit: EXIT.failed, detail: error.detail })
  return error instanceof ConfigError ? new Failure({ exit: EXIT.usage, detail: error.message }) : error
}

const facts = Effect.gen(function* () {
  const [{ address }, { url }, { startToken }] = [yield* TcpServer, yield* HttpListener, yield* Auth]
  return { tcp: address, url, token: startToken } satisfies Facts
})

const drained = Effect.fnUntraced(function* ({ limit }: ConfigShape) {
  const [tcp, http, channels, manager] = [yield* TcpServer, yield* HttpListener, yield* Channels, yield* RuntimeManager]
  yield* drain({
    drain_ms: limit.drain_ms,
    listeners: [tcp, http],
    announce: channels.drain,
    suspend: manager.suspendAll,
    closeAll: channels.closeAll
  })
})

const running = Effect.fnUntraced(function* (config: ConfigShape, say: (facts: Facts) => Effect.Effect<unknown>) {
  const [endings, output, manager] = [yield* Endings, yield* Output, yield* RuntimeManager]
  const { accompany } = yield* Attachments
  const told = yield* Deferred.make<void>()
  yield* endings.claim(() => Deferred.doneUnsafe(told, Effect.void))
  yield* say(yield* facts)
  const resumed = Effect.tap(manager.resumeAll(accompany), (resumed) =>
    Effect.logInfo("The server is ready.", { resumed })
  )
  const ending = Effect.map(Deferred.await(told), () => {
    // Everything that waits has its own limit; this one is for what nobody thought of.
    setTimeout(() => process.exit(EXIT.failed), config.limit.drain_ms + LAST_MS).unref()
  })
  // Who is told to end while much is being recovered does not recover the rest first: the next start does.
  yield* Effect.raceFirst(Effect.andThen(resumed, Effect.never), ending)
  yield* output.err(`claw: ${texts[config.locale].draining}\n`)
  yield* drained(config)
  return EXIT.done
})

/** The demo repairs a little project of its own. */
const placed = (line: CommandLine, config: ConfigShape) =>
  config.provider === "demo" && line.values["cwd"] === undefined
    ? makeWorkspace
    : Effect.fromResult(workspaceOf(config))

export const serve = Effect.fnUntraced(function* (line: CommandLine, given: ConfigShape) {
  collectOnOneCore()
  const usage = (detail: string) => new Failure({ exit: EXIT.usage, detail })
  const allowed = yield* Effect.mapError(Effect.fromResult(judge(given)), usage)
  const choice = yield* Effect.mapError(Effect.fromResult(choose(given)), (why) => usage(missingIn(why, given.locale)))
  const output = yield* Output
  yield* sayUntrusted(given)
  const json = line.switches.has("json")
  const level = json && !given.sources.has("log.level") ? "info" : given.log.level
  const log = { ...given.log, level } as const
  const config: ConfigShape = { ...allowed, log, workspace: yield* placed(line, given) }
  yield* serverAllowed(config)
  if (config.mode === "bypass") yield* output.err(`claw: ${texts[config.locale].bypass}\n`)
  const sink = heldSink()
  const say = (known: Facts) =>
    json
      ? Effect.tap(output.out(readyLine(known)), () => Effect.sync(sink.open))
      : output.out(banner(known, config, choice.model))
  const logs = json ? layerTo(sink) : logging
  return yield* Effect.mapError(
    Effect.provide(Effect.scoped(running(config, say)), server(config, choice, logs)),
    translate
  )
})
