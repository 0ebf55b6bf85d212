/** A directory of its own for one test: `root/ws` is the workspace, all else in `root` is outside. Removed at the end. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { Effect, Layer } from "effect"
import * as Workspace from "../../src/sandbox/Workspace.ts"

export interface Dir {
  readonly root: string
  readonly ws: string
  /** Paths relative to `root`. */
  readonly file: (path: string, content: string | Uint8Array) => string
  readonly link: (path: string, target: string) => string
}

const makeDir = (): Dir => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "claw-test-")))
  const place = (path: string) => {
    const full = join(root, path)
    mkdirSync(dirname(full), { recursive: true })
    return full
  }
  mkdirSync(join(root, "ws"))
  return {
    root,
    ws: join(root, "ws"),
    file: (path, content) => {
      const full = place(path)
      writeFileSync(full, content)
      return full
    },
    link: (path, target) => {
      const full = place(path)
      symlinkSync(target, full)
      return full
    }
  }
}

export const dir = Effect.acquireRelease(Effect.sync(makeDir), ({ root }) =>
  Effect.sync(() => rmSync(root, { recursive: true, force: true }))
)

/** The workspace service of such a directory. */
export const workspaceOf = (there: Dir, ownDirectories: ReadonlyArray<string> = []) =>
  Effect.map(Layer.build(Workspace.layer({ root: there.ws, ownDirectories })), (context) =>
    Workspace.Workspace.pipe(Effect.provide(context))
  ).pipe(Effect.flatten)
