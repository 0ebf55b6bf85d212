/**
 * One git child over our own store. Owns: its environment and its end. Invariants: no configuration but the store's own
 * is read, no variable of ours but PATH reaches it; it ends with the call, at its time limit, or when it says too much.
 * Does not use ProcessRunner: that one decodes, cuts and shows what a child says, for a model; here bytes are data.
 */
import { spawn, type ChildProcess } from "node:child_process"
import { Effect, Schema } from "effect"

export class GitError extends Schema.TaggedError<GitError>()("GitError", {
  reason: Schema.Literals(["no_git", "too_slow", "too_much", "failed"]),
  detail: Schema.String
}) {
  override get message(): string {
    return this.detail
  }
}

export interface GitPlace {
  /** The store: a git directory of our own. */
  readonly store: string
  readonly path: string
}

export interface GitCall {
  readonly args: ReadonlyArray<string>
  /** Absolute; also the current directory. */
  readonly workTree: string
  readonly index?: string
  /** Of a repository of somebody else, to be read beside our own. */
  readonly lent?: { readonly objects: string; readonly shallow?: string }
  readonly input?: Uint8Array
  /** Paths may be patterns: for the one command that knows no other way. */
  readonly patterns?: boolean
  readonly timeout_ms: number
  readonly max_bytes: number
}

const environment = (
  { store, path }: GitPlace,
  { workTree, index, lent, patterns = false }: GitCall
): Record<string, string> => ({
  PATH: path,
  HOME: store,
  LC_ALL: "C",
  GIT_DIR: store,
  GIT_WORK_TREE: workTree,
  ...(index === undefined ? {} : { GIT_INDEX_FILE: index }),
  ...(lent === undefined ? {} : { GIT_OBJECT_DIRECTORY: lent.objects }),
  ...(lent?.shallow === undefined ? {} : { GIT_SHALLOW_FILE: lent.shallow }),
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_TERMINAL_PROMPT: "0",
  GIT_NO_REPLACE_OBJECTS: "1",
  ...(patterns ? {} : { GIT_LITERAL_PATHSPECS: "1" })
})

const failed = (reason: GitError["reason"], detail: string) => new GitError({ reason, detail })

const end = (child: ChildProcess): void => {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  try {
    process.kill(-child.pid, "SIGKILL")
  } catch {
    child.kill("SIGKILL")
  }
}

export interface GitResult {
  readonly code: number
  readonly output: Buffer
}

const started = (place: GitPlace, call: GitCall): ChildProcess =>
  spawn("git", [...call.args], {
    cwd: call.workTree,
    env: environment(place, call),
    detached: true,
    stdio: ["pipe", "pipe", "pipe"]
  })

/** Its exit code and what it said; whatever ends this effect ends the child. */
export const git = (place: GitPlace, call: GitCall): Effect.Effect<GitResult, GitError> =>
  Effect.callback<GitResult, GitError>((resume) => {
    const child = started(place, call)
    const chunks: Array<Buffer> = []
    let [size, said] = [0, ""]
    let broken: GitError | undefined
    const stop = (why: GitError) => {
      broken ??= why
      end(child)
    }
    child.on("error", (error: NodeJS.ErrnoException) => {
      const missing = error.code === "ENOENT" || error.code === "EACCES"
      resume(Effect.fail(failed(missing ? "no_git" : "failed", `git cannot be started (${error.code ?? "unknown"}).`)))
    })
    child.stdout?.on("data", (chunk: Buffer) => {
      size += chunk.length
      if (size > call.max_bytes) stop(failed("too_much", "git said more than was asked for."))
      else chunks.push(chunk)
    })
    child.stderr?.on("data", (chunk: Buffer) => {
      if (said.length < 500) said += chunk.toString("utf8")
    })
    child.stdin?.on("error", () => {})
    child.stdin?.end(call.input)
    child.once("close", (code) => {
      if (broken !== undefined) resume(Effect.fail(broken))
      else if (code === null) resume(Effect.fail(failed("failed", "git was ended by a signal.")))
      else if (code >= 128)
        resume(Effect.fail(failed("failed", `git ${call.args[0] ?? ""}: ${said.trim().slice(0, 300)}`)))
      else resume(Effect.succeed({ code, output: Buffer.concat(chunks) }))
    })
    return Effect.sync(() => end(child))
  }).pipe(
    Effect.timeoutOrElse({
      duration: call.timeout_ms,
      orElse: () => Effect.fail(failed("too_slow", `git ${call.args[0] ?? ""} took longer than ${call.timeout_ms} ms.`))
    })
  )

/** The parts between NULs, as latin1. */
export const parts = (output: Buffer): ReadonlyArray<string> =>
  output.length === 0 ? [] : output.toString("latin1").replace(/\0$/, "").split("\0")
