/**
 * One `claw serve` in a world of its own: started, asked over /proc what it costs, stopped. Owns: its environment, its
 * directories, and its end. Invariant: nothing of this machine's environment but PATH gets in, and `stop` leaves
 * neither process nor directory. Tests and the fuzz start their server here too.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { type AddressInfo, createServer } from "node:net"
import { join } from "node:path"
import { tmpdir } from "node:os"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

export const PROGRAM = fileURLToPath(new URL("../../dist/claw.js", import.meta.url))

export interface Address {
  readonly host: string
  readonly port: number
}

/** The first line of `claw serve --json`. */
export interface Ready {
  readonly type: "ready"
  readonly tcp: Address
  readonly http: { readonly url: string }
  readonly token?: string
}

export interface ServedOptions {
  /** Behind `serve --json --tcp-port 0 --http-port 0`. */
  readonly args?: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
  readonly program?: string
  /** Options of the node that runs it. */
  readonly node?: ReadonlyArray<string>
}

export interface Served {
  readonly pid: number
  readonly ready: Ready
  readonly tcp: Address
  readonly http: Address
  readonly workspace: string
  readonly state: string
  /** How it ended, as soon as it has. */
  readonly ended: () => string | undefined
  /** What it wrote on standard error, its last part. */
  readonly stderr: () => string
  readonly signal: (name: NodeJS.Signals) => void
  /** SIGTERM, then SIGKILL; says how it ended. */
  readonly stop: () => Promise<string>
}

/** Longer than a drain may take. */
const STOP_MS = 40_000
const START_MS = 30_000
const KEPT = 16_384

/** For an inspector, which cannot say where it listens. */
export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

const isReady = (line: string): Ready | undefined => {
  try {
    const value = JSON.parse(line) as Partial<Ready>
    return value.type === "ready" && value.tcp !== undefined && value.http !== undefined ? (value as Ready) : undefined
  } catch {
    return undefined
  }
}

const readyLine = (child: ChildProcess, stderr: () => string): Promise<Ready> =>
  new Promise((done, fail) => {
    const give = (why: string) => fail(new Error(`claw serve ${why}: ${stderr().slice(-2000)}`))
    const timer = setTimeout(() => give(`is not ready within ${START_MS} ms`), START_MS)
    if (child.stdout === null) throw new Error("claw serve has no output")
    // Logs follow on standard output; they are read so that it never waits for us.
    createInterface({ input: child.stdout }).on("line", (line) => {
      const ready = isReady(line)
      if (ready === undefined) return
      clearTimeout(timer)
      done(ready)
    })
    child.once("error", fail)
    child.once("exit", (code, signal) => {
      clearTimeout(timer)
      give(`ended with ${signal ?? code}`)
    })
  })

const after = (ms: number): Promise<"late"> =>
  new Promise((done) => {
    setTimeout(() => done("late"), ms).unref()
  })

const world = () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "claw-served-")))
  const [home, state, workspace] = [join(root, "home"), join(root, "state"), join(root, "workspace")]
  for (const path of [home, state, workspace]) mkdirSync(path)
  return { root, home, state, workspace }
}

export const startServed = async ({
  args = ["--no-auth"],
  env = {},
  program = PROGRAM,
  node = []
}: ServedOptions = {}): Promise<Served> => {
  const { root, home, state, workspace } = world()
  const environment = { PATH: process.env["PATH"] ?? "", HOME: home, LANG: "C.UTF-8", CLAW_STATE_DIR: state, ...env }
  const argv = [...node, program, "serve", "--json", "--tcp-port", "0", "--http-port", "0", ...args]
  const child = spawn(process.execPath, argv, { cwd: workspace, env: environment, stdio: ["ignore", "pipe", "pipe"] })
  // Whoever started it may end first, in any way but a signal that cannot be caught.
  const goesToo = (): void => void child.kill("SIGKILL")
  process.once("exit", goesToo)
  let errors = ""
  let end: string | undefined
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors = (errors + text).slice(-KEPT)))
  child.once("exit", (code, signal) => (end = signal ?? String(code)))
  const stop = async (): Promise<string> => {
    const exited = end === undefined ? once(child, "exit") : undefined
    if (exited !== undefined) {
      child.kill("SIGTERM")
      if ((await Promise.race([exited, after(STOP_MS)])) === "late") child.kill("SIGKILL")
      await exited
    }
    process.off("exit", goesToo)
    rmSync(root, { recursive: true, force: true })
    return end ?? "unknown"
  }
  try {
    const ready = await readyLine(child, () => errors)
    const url = new URL(ready.http.url)
    return {
      pid: child.pid ?? 0,
      ready,
      tcp: ready.tcp,
      http: { host: url.hostname, port: Number(url.port) },
      workspace,
      state,
      ended: () => end,
      stderr: () => errors,
      signal: (name) => void child.kill(name),
      stop
    }
  } catch (error) {
    child.kill("SIGKILL")
    await stop()
    throw error
  }
}
