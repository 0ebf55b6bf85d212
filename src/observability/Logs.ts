/**
 * Structured logs: one JSON object a line, to standard error or to a file in the state directory (R262, R263).
 * Owns: the shape of a line and where it goes. Off by default, for the terminal belongs to the person.
 * Invariants: a line is redacted before it leaves; logging never fails, never blocks and never holds more than
 * `MAX_PENDING_BYTES`: lines beyond that are counted and reported, not kept.
 */
import { createWriteStream, mkdirSync, renameSync, statSync } from "node:fs"
import { join } from "node:path"
import { Cause, Effect, Layer, Logger, Redacted, References } from "effect"
import { AppConfig, type ConfigShape } from "../config/AppConfig.ts"
import * as Redact from "./Redact.ts"

export const MAX_PENDING_BYTES = 1_048_576
/** A file this large is set aside as `claw.log.1` when the next process starts. */
export const ROTATE_BYTES = 10_485_760

export interface Entry {
  readonly date: Date
  readonly level: string
  readonly message: ReadonlyArray<unknown>
  readonly annotations: Readonly<Record<string, unknown>>
  readonly cause?: string
}

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype

/** One line, without its end. Objects among the messages are fields; a field never replaces the line's own. */
export const formatLine = (entry: Entry, redactor: Redact.Redactor): string => {
  const fields = entry.message.filter(isPlain)
  const words = entry.message.filter((part) => !isPlain(part)).map((part) => redactor.value(part))
  const line = {
    ...Object.assign({}, entry.annotations, ...fields),
    ts: entry.date.toISOString(),
    level: entry.level,
    message: words.map((word) => (typeof word === "string" ? word : JSON.stringify(word))).join(" "),
    ...(entry.cause === undefined ? {} : { cause: entry.cause })
  }
  return JSON.stringify(redactor.value(line))
}

export interface Sink {
  /** Takes a line or drops it; never waits. */
  readonly write: (line: string) => void
}

interface Writable {
  readonly write: (chunk: string) => boolean
  readonly writableLength: number
}

/** Drops and counts where the reader of the stream does not keep up. */
export const boundedSink = (stream: Writable): Sink => {
  let dropped = 0
  return {
    write: (line) => {
      if (stream.writableLength > MAX_PENDING_BYTES) {
        dropped++
        return
      }
      if (dropped > 0) {
        stream.write(`${JSON.stringify({ level: "warn", message: "log lines were dropped", dropped })}\n`)
        dropped = 0
      }
      stream.write(`${line}\n`)
    }
  }
}

const rotate = (path: string): void => {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (size > ROTATE_BYTES) renameSync(path, `${path}.1`)
}

/** The file is the user's alone; a directory that cannot be made costs the logs and nothing else. */
const fileSink = (directory: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const path = join(directory, "claw.log")
      try {
        mkdirSync(directory, { recursive: true, mode: 0o700 })
        rotate(path)
      } catch {
        return undefined
      }
      const stream = createWriteStream(path, { flags: "a", mode: 0o600 })
      stream.on("error", () => undefined)
      return stream
    }),
    (stream) =>
      stream === undefined
        ? Effect.void
        : Effect.callback<void>((done) => {
            stream.once("error", () => done(Effect.void))
            stream.end(() => done(Effect.void))
          })
  ).pipe(Effect.map((stream) => (stream === undefined ? { write: () => undefined } : boundedSink(stream))))

const levels = { off: "None", error: "Error", warn: "Warn", info: "Info", debug: "Debug", trace: "Trace" } as const

/** The logger that writes to `sink`. */
export const logger = (sink: Sink, redactor: Redact.Redactor) =>
  Logger.make<unknown, void>(({ cause, date, fiber, logLevel, message }) => {
    const entry: Entry = {
      date,
      level: logLevel.toLowerCase(),
      message: Array.isArray(message) ? message : [message],
      annotations: fiber.getRef(References.CurrentLogAnnotations),
      ...(cause.reasons.length === 0 ? {} : { cause: Cause.pretty(cause) })
    }
    sink.write(formatLine(entry, redactor))
  })

const silent = Layer.mergeAll(Logger.layer([]), Layer.succeed(References.MinimumLogLevel, "None"))

const writing = (sink: Sink, { secrets, log }: ConfigShape) =>
  Layer.mergeAll(
    Logger.layer([logger(sink, Redact.make(secrets.map(Redacted.value)))]),
    Layer.succeed(References.MinimumLogLevel, levels[log.level])
  )

const build = Effect.fnUntraced(function* (config: ConfigShape) {
  if (config.log.level === "off") return silent
  const sink =
    config.log.to === "stderr" ? boundedSink(process.stderr) : yield* fileSink(join(config.state_dir, "logs"))
  return writing(sink, config)
})

/** Replaces every other logger: nothing is printed unless the configuration asks for it. */
export const layer = Layer.unwrap(Effect.flatMap(AppConfig, build))

/** To a place of the program's own, at the configured level. */
export const layerTo = (sink: Sink) =>
  Layer.unwrap(Effect.map(AppConfig, (config) => (config.log.level === "off" ? silent : writing(sink, config))))
