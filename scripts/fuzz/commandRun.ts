/**
 * Runs allowed lines for real: each in a throw-away copy of the repository, many under one trace, inside bubblewrap with
 * nothing else writable and no network. Owns: the copies, the driver, what the processes get.
 */
import { spawn } from "node:child_process"
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Effect, readTrace, TRACED } from "./commandTrace.ts"

const FILES: Readonly<Record<string, string>> = {
  "README.md": "# A project\nfoo\n",
  "src/a.ts": "export const a = 1\n",
  "src/b.ts": "export const b = 2\n",
  "docs/x.md": "x\n",
  "data.txt": "b\na\n",
  "two words.txt": "x\n",
  ".gitignore": "build\n",
  "package.json": '{"scripts":{"test":"touch pwned"}}\n'
}

const PWN = "#!/bin/sh\ntouch pwned\n"

/** The repository that is judged and copied. */
export const makeTemplate = (root: string): string => {
  const workspace = join(root, "ws")
  for (const directory of ["src", "docs", ".git/objects", ".git/refs/heads"])
    mkdirSync(join(workspace, directory), { recursive: true })
  for (const [path, text] of Object.entries(FILES)) writeFileSync(join(workspace, path), text)
  for (const name of ["evil.sh", "git", "cat"]) {
    writeFileSync(join(workspace, name), PWN)
    chmodSync(join(workspace, name), 0o755)
  }
  symlinkSync("/etc", join(workspace, "link"))
  writeFileSync(join(workspace, ".git/HEAD"), "ref: refs/heads/main\n")
  writeFileSync(join(workspace, ".git/config"), "[core]\n\trepositoryformatversion = 0\n\tbare = false\n")
  return workspace
}

/** No fork of its own but one a line, in their order; a line that computes without end is ended. */
const DRIVER = `ulimit -t 5; mapfile -d '' -t lines < "$2"
for n in "\${!lines[@]}"; do ( cd "$1/$n" && exec bash -c "\${lines[$n]}" </dev/null >/dev/null 2>&1 ); done
`

/** tail's line between the traces of two processes; strace writes none like it. */
const BETWEEN = /^==> trace\/t\.(\d+) <==\n/m

/**
 * All that a batch makes lives in a memory file system that goes with its sandbox; only the traces come out, as one text.
 * $1 the batch, $2 the lines, $3 how many, $4 the driver, $5 the repository, then strace and its options.
 */
const PRELUDE = `set -e; cd "$1"; mkdir trace; at=$1 lines=$2 count=$3 driver=$4 from=$5; shift 5
mkdir first; cp -a "$from/." first
for ((n = 0; n < count; n += 25)); do
  for ((m = n; m < n + 25 && m < count; m++)); do cp -a first $m & done; wait
done
"$@" -o "$at/trace/t" bash "$driver" "$at" "$lines" >&2 || true
tail -v -n +1 trace/t.*
`

const PATH = "/usr/local/bin:/usr/bin:/bin"
export const childEnvironment = (root: string) => ({ PATH, HOME: join(root, "home"), LC_ALL: "C.UTF-8" })

interface Finished {
  readonly out: string
  /** What it complained of; empty where it ended well. */
  readonly said: string
}

const finished = (command: string, args: ReadonlyArray<string>, root: string): Promise<Finished> =>
  new Promise((done) => {
    const child = spawn(command, args, {
      env: childEnvironment(root),
      stdio: ["ignore", "pipe", "pipe"],
      timeout: 300_000
    })
    const [out, said]: [Array<Buffer>, Array<Buffer>] = [[], []]
    child.stdout.on("data", (bytes: Buffer) => out.push(bytes))
    child.stderr.on("data", (bytes: Buffer) => said.push(bytes))
    child.on("error", (error) => done({ out: "", said: error.message }))
    child.on("close", (code) =>
      done({
        out: Buffer.concat(out).toString(),
        said: code === 0 ? "" : Buffer.concat(said).toString().slice(0, 400)
      })
    )
  })

const STRACE = `strace -ff --seccomp-bpf -qq -xx -y -s 8192 -e signal=none -e trace=${TRACED}`.split(" ")

const tracesIn = (out: string): ReadonlyArray<readonly [string, string]> => {
  const [, ...parts] = out.split(BETWEEN)
  return Array.from({ length: parts.length / 2 }, (_, at) => [parts[2 * at]!, parts[2 * at + 1]!] as const)
}

export interface Ran {
  readonly effects: ReadonlyArray<ReadonlyArray<Effect>>
  readonly cwds: ReadonlyArray<string>
  readonly said: string
}

/** What each line did, in their order. */
export const runLines = async (
  root: string,
  template: string,
  lines: ReadonlyArray<string>,
  nth: number
): Promise<Ran> => {
  const batch = join(root, `batch-${nth}`)
  const cwds = lines.map((_, at) => join(batch, String(at)))
  for (const directory of [batch, join(root, "home")]) mkdirSync(directory, { recursive: true })
  const [list, driver] = [`${batch}.lines`, join(root, "driver.sh")]
  writeFileSync(list, lines.join("\u0000"))
  writeFileSync(driver, DRIVER)
  const walls = "--ro-bind / / --dev /dev --proc /proc --unshare-all --die-with-parent --tmpfs".split(" ")
  const inside = ["bash", "-c", PRELUDE, "bash", batch, list, String(lines.length), driver, template, ...STRACE]
  const { out, said } = await finished("bwrap", [...walls, batch, ...inside], root)
  const effects = readTrace(tracesIn(out), cwds)
  for (const path of [batch, list]) rmSync(path, { recursive: true, force: true })
  return { effects, cwds, said }
}
