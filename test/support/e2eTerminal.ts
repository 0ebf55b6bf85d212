/**
 * `claw` at a real terminal: a PTY, and a screen that shows what a person would see (`@xterm/headless`). Owns: starting,
 * typing, waiting for what appears, the raw bytes, the end. Invariants: waiting ends on the receipt or with a defect that
 * shows the screen; the process group ends with the scope.
 */
import { spawn } from "@lydell/node-pty"
import headless from "@xterm/headless"
import { Deferred, Effect } from "effect"
import { APART_MS, SETTLE_MS } from "../../src/cli/question.ts"
import { CLAW, type Env, NODE } from "./e2eProgram.ts"

/** Far beyond what a busy machine takes; only a failure waits for it. */
const DEADLINE_MS = 30_000

export const keys = {
  enter: "\r",
  escape: "\x1b",
  tab: "\t",
  up: "\x1b[A",
  ctrlC: "\x03",
  ctrlD: "\x04"
} as const

export interface Size {
  readonly columns: number
  readonly rows: number
}

export interface Tty {
  readonly pid: number
  /** Sends text as keys, exactly. */
  readonly type: (text: string) => void
  /** Types a line and ends it. */
  readonly enter: (text: string) => void
  readonly press: (key: keyof typeof keys) => void
  readonly paste: (text: string) => void
  readonly resize: (size: Size) => void
  /** The scrollback and the screen, a line each, without blank ends. */
  readonly screen: () => string
  /** What stands on the line of the cursor. */
  readonly cursorLine: () => string
  /** Lines that the terminal itself had to break. */
  readonly wrappedLines: () => number
  /** Every byte so far, as text. */
  readonly raw: () => string
  readonly title: () => string
  /** Waits until the screen satisfies it; the screen then. */
  readonly until: (wanted: RegExp | ((screen: string) => boolean), name?: string) => Effect.Effect<string>
  /** Waits until the text is there `times` times. */
  readonly shows: (text: string, times?: number) => Effect.Effect<string>
  /** Waits for the prompt at the bottom, with no task above it. */
  readonly prompt: Effect.Effect<string>
  /** Waits until so many tasks have ended, however they did, and the prompt is back. */
  readonly ended: (tasks: number) => Effect.Effect<string>
  /** Waits for the question, and then as long as keys are still taken for typed-ahead text; then presses. */
  readonly answer: (text: string) => Effect.Effect<void>
  /** As long as a person takes at least from one key of an answer to the next. */
  readonly apart: Effect.Effect<void>
  readonly exited: Effect.Effect<number>
}

export interface StartOptions {
  readonly env: Env
  readonly cwd: string
  readonly size?: Size
  /** The program and its arguments; default: `claw` with `args`. */
  readonly command?: ReadonlyArray<string>
  readonly args?: ReadonlyArray<string>
}

type Wake = () => void

const textOf = (terminal: headless.Terminal): string => {
  const { active } = terminal.buffer
  const lines = Array.from({ length: active.length }, (_, i) => active.getLine(i)?.translateToString(true) ?? "")
  return lines.join("\n").trimEnd()
}

const cursorLineOf = (terminal: headless.Terminal): string => {
  const { active } = terminal.buffer
  return active.getLine(active.baseY + active.cursorY)?.translateToString(true) ?? ""
}

const wrappedOf = ({ buffer: { active } }: headless.Terminal): number =>
  Array.from({ length: active.length }, (_, i) => active.getLine(i)?.isWrapped === true).filter(Boolean).length

const occurrences = (text: string, word: string): number => text.split(word).length - 1

/** The line of tokens and time that every end of a task leaves. */
const END = /^(✓ )?([\d.]+[kM]? in|输入 [\d.]+[kM]?)\b.* · /gm
const BUSY =
  /^(ready|preparing|thinking|waiting for your answer|running tools|saving|cancelling|trying again).* · \d+ s/m

const isIdle = (terminal: headless.Terminal): boolean => {
  if (!/^claw> *$/.test(cursorLineOf(terminal))) return false
  const { active } = terminal.buffer
  const above = Array.from({ length: active.cursorY }, (_, i) =>
    active.getLine(active.baseY + i)?.translateToString(true)
  )
  return !BUSY.test(above.slice(-3).join("\n"))
}

const open = ({ env, cwd, size = { columns: 100, rows: 40 }, command, args = [] }: StartOptions) => {
  const [file = NODE, ...rest] = command ?? [NODE, CLAW, ...args]
  const pty = spawn(file, rest, {
    cwd,
    env: { ...env },
    cols: size.columns,
    rows: size.rows,
    name: env["TERM"] ?? "xterm-256color"
  })
  const terminal = new headless.Terminal({
    cols: size.columns,
    rows: size.rows,
    scrollback: 10_000,
    allowProposedApi: true
  })
  const state = { raw: "", title: "", ended: false }
  const wakes = new Set<Wake>()
  const exit = Deferred.makeUnsafe<number>()
  const wakeAll = () => {
    for (const wake of wakes) wake()
  }
  terminal.onTitleChange((title) => void (state.title = title))
  // What the terminal answers to queries goes back, as from a real one.
  terminal.onData((text) => pty.write(text))
  pty.onData((text) => {
    state.raw += text
    terminal.write(text, wakeAll)
  })
  pty.onExit(({ exitCode }) => {
    state.ended = true
    // Behind everything that was written.
    terminal.write("", () => {
      Deferred.doneUnsafe(exit, Effect.succeed(exitCode))
      wakeAll()
    })
  })
  return { pty, terminal, state, wakes, exit }
}

type Opened = ReturnType<typeof open>

const close = ({ pty, terminal, state }: Opened) =>
  Effect.sync(() => {
    try {
      // The shell or the program leads the group and the session of the terminal.
      if (!state.ended) process.kill(-pty.pid, "SIGKILL")
    } catch {
      // It ended meanwhile.
    }
    terminal.dispose()
  })

const untilOf =
  ({ terminal, wakes, state }: Opened): Tty["until"] =>
  (wanted, name = String(wanted)) => {
    const holds = (screen: string) => (wanted instanceof RegExp ? wanted.test(screen) : wanted(screen))
    const seen = Effect.callback<string>((resume) => {
      const look = () => {
        const screen = textOf(terminal)
        if (!holds(screen)) return
        wakes.delete(look)
        resume(Effect.succeed(screen))
      }
      wakes.add(look)
      look()
      return Effect.sync(() => void wakes.delete(look))
    })
    const missing = Effect.suspend(() =>
      Effect.die(new Error(`never seen: ${name}${state.ended ? " (the program has ended)" : ""}\n${textOf(terminal)}`))
    )
    return Effect.timeoutOrElse(seen, { duration: DEADLINE_MS, orElse: () => missing })
  }

/** Starts a program at a terminal of its own. */
export const start = Effect.fnUntraced(function* (options: StartOptions) {
  const opened = yield* Effect.acquireRelease(
    Effect.sync(() => open(options)),
    close
  )
  const { pty, terminal, state, exit } = opened
  const until = untilOf(opened)
  const type = (text: string) => pty.write(text)
  const idle = () => isIdle(terminal)
  return {
    pid: pty.pid,
    type,
    enter: (text) => type(`${text}${keys.enter}`),
    press: (key) => type(keys[key]),
    paste: (text) => type(`\x1b[200~${text}\x1b[201~`),
    resize: ({ columns, rows }) => {
      terminal.resize(columns, rows)
      pty.resize(columns, rows)
    },
    screen: () => textOf(terminal),
    cursorLine: () => cursorLineOf(terminal),
    wrappedLines: () => wrappedOf(terminal),
    raw: () => state.raw,
    title: () => state.title,
    until,
    shows: (text, times = 1) => until((screen) => occurrences(screen, text) >= times, `${text} (${times})`),
    prompt: until(idle, "an idle prompt"),
    ended: (tasks) => until((screen) => (screen.match(END) ?? []).length >= tasks && idle(), `${tasks} ended tasks`),
    answer: (text) =>
      until(/y once|y 允许一次|r run it again/).pipe(
        Effect.andThen(Effect.sleep(SETTLE_MS + 20)),
        Effect.andThen(Effect.sync(() => type(text)))
      ),
    apart: Effect.sleep(APART_MS + 20),
    exited: Deferred.await(exit)
  } satisfies Tty
})
