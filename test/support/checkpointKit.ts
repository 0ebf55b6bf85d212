/** Checkpoints of a scratch workspace: what a tool does stands between two looks, what a person does between calls. */
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { Context, Effect, Layer, type Scope } from "effect"
import type { CallId, TaskId } from "../../src/domain/Ids.ts"
import { Checkpoints, type Step, type Touch } from "../../src/sandbox/Checkpoints.ts"
import * as Git from "../../src/sandbox/checkpoints/GitCheckpoints.ts"
import { folder } from "./realSession.ts"

export const ANYTHING: Touch = { kind: "anything" }
export const TASK = "task" as TaskId

export interface Scene {
  readonly root: string
  readonly base: string
  readonly checkpoints: Checkpoints["Service"]
  /** Runs `use` as a call; what it did. */
  readonly call: (use: () => void, touch?: Touch) => Effect.Effect<Step | undefined>
  /** The same service as a later process would have it. */
  readonly again: Effect.Effect<Checkpoints["Service"], never, Scope.Scope>
  readonly at: (path: string) => string
  readonly write: (path: string, text: string | Uint8Array, mode?: number) => void
  readonly remove: (path: string) => void
}

export const build = (
  options: Partial<Git.GitCheckpointOptions> & { readonly base: string; readonly workspace: string }
) =>
  Layer.build(Git.layer({ session: "session", path: process.env["PATH"] ?? "", ...options })).pipe(
    Effect.map((context) => Context.get(context, Checkpoints))
  )

let calls = 0
export const nextCall = (): CallId => `call_${(calls += 1)}` as CallId

export const scene = Effect.fnUntraced(function* (options: Partial<Git.GitCheckpointOptions> = {}) {
  const root = yield* folder("claw-undo-")
  const base = yield* folder("claw-kept-")
  const given = { base, workspace: root, ...options }
  const checkpoints = yield* build(given)
  const at = (path: string) => join(root, path)
  const made: Scene = {
    root,
    base,
    checkpoints,
    at,
    again: build(given),
    call: Effect.fnUntraced(function* (use, touch = ANYTHING) {
      const window = yield* checkpoints.begin({ task_id: TASK, call_id: nextCall(), touch })
      use()
      return (yield* window.end).step
    }),
    write: (path, text, mode) => {
      mkdirSync(join(at(path), ".."), { recursive: true })
      writeFileSync(at(path), text)
      if (mode !== undefined) chmodSync(at(path), mode)
    },
    remove: (path) => rmSync(at(path), { recursive: true })
  }
  return made
})

const describeOne = (path: Buffer): string => {
  const stats = lstatSync(path)
  if (stats.isSymbolicLink()) return `-> ${readlinkSync(path)}`
  return `${(stats.mode & 0o777).toString(8)} ${readFileSync(path, "latin1")}`
}

const below = (directory: Buffer, name: Buffer) => Buffer.concat([directory, Buffer.from("/"), name])

/** Every file and link below, `.git` left out: path (latin1) → permissions and content. */
export const treeOf = (root: string): Readonly<Record<string, string>> => {
  const found: Array<readonly [string, string]> = []
  const walk = (directory: Buffer, prefix: string) => {
    for (const name of readdirSync(directory, "buffer")) {
      const [path, text] = [below(directory, name), name.toString("latin1")]
      if (text === ".git") continue
      if (lstatSync(path).isDirectory()) walk(path, `${prefix}${text}/`)
      else found.push([`${prefix}${text}`, describeOne(path)])
    }
  }
  walk(Buffer.from(root), "")
  return Object.fromEntries(found.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** Undoes these steps; what was put back and what was kept. */
export const undo = Effect.fnUntraced(function* (
  { checkpoints }: Pick<Scene, "checkpoints">,
  steps: ReadonlyArray<Step | undefined>,
  uncertain = false
) {
  const known = steps.flatMap((step) => step ?? [])
  const { plan } = yield* checkpoints.plan({ direction: "undo", steps: known, uncertain })
  const done = yield* checkpoints.apply(plan)
  return { plan, files: done.files, kept: done.kept }
})

export const redo = Effect.fnUntraced(function* ({ checkpoints }: Pick<Scene, "checkpoints">, undone: string) {
  const { plan } = yield* checkpoints.plan({ direction: "redo", plan: undone })
  const done = yield* checkpoints.apply(plan)
  return { plan, files: done.files, kept: done.kept }
})
