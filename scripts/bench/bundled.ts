/**
 * The contender that is claw, as claw ships: one file, made by the build's own bundler. Owns: that file, as long as the
 * process lives. `bundled.ts DIRECTORY` makes it, in a process of its own: what starts from a large process has that
 * one's resident size among its own.
 */
import { execFile } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const source = fileURLToPath(new URL("contenders/claw.ts", import.meta.url))
let made: Promise<string> | undefined

const make = async (): Promise<string> => {
  const directory = mkdtempSync(join(tmpdir(), "claw-bench-bundled-"))
  process.on("exit", () => rmSync(directory, { recursive: true, force: true }))
  await promisify(execFile)(process.execPath, [fileURLToPath(import.meta.url), directory])
  return join(directory, "claw.mjs")
}

/** Where it is. */
export const bundledClaw = (): Promise<string> => (made ??= make())

if (import.meta.main) {
  const { bundle } = await import("../build/bundle.ts")
  await bundle(source, { directory: process.argv[2] ?? "", library: false })
}
