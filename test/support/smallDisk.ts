/** A file system of 1 MB that goes with its scope. Mounting is root's, or a container's. */
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { rmSync, statfsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { tempDirectory } from "./tempStore.ts"

export const canMount = process.platform === "linux" && process.getuid?.() === 0

export const smallDisk = Effect.gen(function* () {
  const directory = yield* tempDirectory
  const mount = (...args: ReadonlyArray<string>) => execFileSync("mount", [...args, directory])
  yield* Effect.acquireRelease(
    Effect.sync(() => mount("-t", "tmpfs", "-o", "size=1m,mode=0700", "tmpfs")),
    () => Effect.sync(() => execFileSync("umount", [directory]))
  )
  const filler = join(directory, "filler")
  return {
    directory,
    /** Takes all the space but `left` bytes. */
    fill: (left: number) =>
      Effect.sync(() => {
        const { bavail, bsize } = statfsSync(directory)
        writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - left)))
      }),
    free: Effect.sync(() => rmSync(filler)),
    remount: (mode: "ro" | "rw") => Effect.sync(() => mount("-o", `remount,${mode}`))
  }
})
