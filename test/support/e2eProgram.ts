/**
 * The built `claw` and the scratch world it runs in: its own HOME and state directory, a repository, a model server.
 * Owns: the environment of every end-to-end test, and running `claw` without a terminal. Invariant: nothing of this
 * machine's environment but PATH gets in, and no process outlives the scope.
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import type { FakeModel } from "./fakeModel.ts"
import * as Fake from "./fakeModel.ts"
import { folder, repository } from "./realSession.ts"

export const CLAW = fileURLToPath(new URL("../../dist/claw.js", import.meta.url))
export const NODE = process.execPath
/** Every world has a home of its own: what Node compiled for one of them is there for all others. */
const COMPILED = join(tmpdir(), `claw-tests-compiled-${process.getuid?.() ?? 0}`)
export const KEY = "sk-test-secret-0123456789"

/** Each test has a world of its own. A machine that is busy elsewhere may show a screen too late: one more try. */
export const SIDE_BY_SIDE = { concurrent: true, timeout: 60_000, retry: 1 } as const

export type Env = Readonly<Record<string, string>>

export interface World {
  readonly home: string
  readonly state: string
  readonly workspace: string
  readonly env: Env
}

/** A home, a state directory and a repository, and the environment of a person who set up this model server. */
export const worldAt = Effect.fnUntraced(function* (base_url: string, files: Readonly<Record<string, string>> = {}) {
  const home = yield* folder("claw-home-")
  const workspace = yield* repository({ "README.md": "A project.\n", ...files })
  const state = join(home, "state")
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    CLAW_STATE_DIR: state,
    LANG: "C.UTF-8",
    TERM: "xterm-256color",
    NODE_COMPILE_CACHE: COMPILED,
    OPENAI_BASE_URL: base_url,
    OPENAI_API_KEY: KEY,
    CLAW_MODEL: "fake-model",
    // Retries are ours to await, not to sit through.
    CLAW_RETRY_BASE_MS: "10",
    CLAW_RETRY_MAX_MS: "20"
  }
  return { home, state, workspace, env } satisfies World
})

export interface FakeWorld extends World {
  readonly model: FakeModel
}

/** The same around our own fake, which judges every history that it is sent. */
export const world = Effect.fnUntraced(function* (files: Readonly<Record<string, string>> = {}) {
  const model = yield* Fake.make()
  return { ...(yield* worldAt(model.base_url, files)), model } satisfies FakeWorld
})

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface Running {
  readonly child: ChildProcessWithoutNullStreams
  readonly stdout: () => string
  readonly stderr: () => string
  readonly signal: (name: NodeJS.Signals) => void
  readonly ended: Effect.Effect<Ended>
}

export interface RunOptions {
  readonly env: Env
  readonly cwd: string
  /** What comes on standard input, which then ends; absent: it is empty. `null`: it stays open and silent. */
  readonly input?: string | Uint8Array | null
}

const killed = (child: ChildProcessWithoutNullStreams) => {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  process.kill(-child.pid, "SIGKILL")
}

/** Starts `claw` over pipes, in a process group of its own. */
export const start = Effect.fnUntraced(function* (args: ReadonlyArray<string>, options: RunOptions) {
  const { env, cwd, input = "" } = options
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => spawn(NODE, [CLAW, ...args], { cwd, env, detached: true })),
    (open) => Effect.sync(() => killed(open))
  )
  const got = { stdout: "", stderr: "" }
  child.stdout.setEncoding("utf8").on("data", (text: string) => void (got.stdout += text))
  child.stderr.setEncoding("utf8").on("data", (text: string) => void (got.stderr += text))
  // A program that ends without reading is no error of the test.
  child.stdin.on("error", () => {})
  if (input !== null) child.stdin.end(input)
  const done = new Promise<Ended>((resolve) => {
    child.once("close", (code, signal) => resolve({ code, signal, ...got }))
  })
  return {
    child,
    stdout: () => got.stdout,
    stderr: () => got.stderr,
    signal: (name) => void child.kill(name),
    ended: Effect.promise(() => done)
  } satisfies Running
})

/** Runs `claw` over pipes to its end. */
export const claw = (args: ReadonlyArray<string>, options: RunOptions) =>
  Effect.flatMap(start(args, options), ({ ended }) => ended)

/** The words a program prints when an exception gets away. */
export const STACK = /^\s+at .+:\d+:\d+\)?$/m
