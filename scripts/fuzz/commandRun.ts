/**
 * Runs allowed lines for real: each in a throw-away copy of the repository, many under one trace, inside bubblewrap with
 * nothing else writable and no network. Owns: the copies, the driver, what the processes get.
 */
import { spawn } from "node:child_process"
import { chmodSync, cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
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
const DRIVER = `ulimit -t 5; mapfile -d '' -t lines < "$1/lines"
for n in "\${!lines[@]}"; do ( cd "$1/$n" && exec bash -c "\${lines[$n]}" </dev/null >/dev/null 2>&1 ); done
`

const PATH = "/usr/local/bin:/usr/bin:/bin"
export const childEnvironment = (root: string) => ({ PATH, HOME: join(root, "home"), LC_ALL: "C.UTF-8" })

const finished = (command: string, args: ReadonlyArray<string>, root: string): Promise<string> =>
  new Promise((done) => {
    const child = spawn(command, args, {
      env: childEnvironment(root),
      stdio: ["ignore", "ignore", "pipe"],
      timeout: 300_000
    })
    const said: Array<Buffer> = []
    child.stderr.on("data", (bytes: Buffer) => said.push(bytes))
    child.on("error", (error) => done(error.message))
    child.on("close", (code) => done(code === 0 ? "" : Buffer.concat(said).toString().slice(0, 400)))
  })

/** What each line did, in their order. */
export const runLines = async (
  root: string,
  template: string,
  lines: ReadonlyArray<string>,
  nth: number
): Promise<{
  readonly effects: ReadonlyArray<ReadonlyArray<Effect>>
  readonly cwds: ReadonlyArray<string>
  readonly said: string
}> => {
  const batch = join(root, `batch-${nth}`)
  const cwds = lines.map((_, at) => join(batch, String(at)))
  mkdirSync(join(batch, "trace"), { recursive: true })
  mkdirSync(join(root, "home"), { recursive: true })
  for (const cwd of cwds) cpSync(template, cwd, { recursive: true, verbatimSymlinks: true })
  writeFileSync(join(batch, "lines"), lines.join("\u0000"))
  writeFileSync(join(batch, "driver.sh"), DRIVER)
  const trace = [
    "strace",
    "-ff",
    "--seccomp-bpf",
    "-qq",
    "-xx",
    "-y",
    "-s",
    "8192",
    "-e",
    "signal=none",
    "-e",
    `trace=${TRACED}`,
    "-o",
    join(batch, "trace/t")
  ]
  const walls = [
    "--ro-bind",
    "/",
    "/",
    "--bind",
    batch,
    batch,
    "--dev",
    "/dev",
    "--proc",
    "/proc",
    "--unshare-all",
    "--die-with-parent"
  ]
  const said = await finished("bwrap", [...walls, ...trace, "bash", join(batch, "driver.sh"), batch], root)
  const effects = readTrace(join(batch, "trace"), cwds)
  rmSync(batch, { recursive: true, force: true })
  return { effects, cwds, said }
}
