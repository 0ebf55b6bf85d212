/**
 * Real pipes for a child's output. Node gives children a socket, and a socket cannot be opened again: with one,
 * `echo problem > /dev/stderr` fails, which scripts do all the time. A named pipe, unlinked once both ends are open,
 * is an ordinary pipe.
 * Owns: a small stock of named pipes in a private directory, made by one `mkfifo` at a time, the first when the first
 * child needs one: a session that starts no program starts none. Systems clear their temporary directory of what nobody
 * touched for days: what has gone is made again. Where there is no `mkfifo`, `take` gives nothing and the caller falls
 * back on Node's sockets.
 */
import { spawn } from "node:child_process"
import { closeSync, constants, existsSync, openSync, rmSync, unlinkSync } from "node:fs"
import { Socket } from "node:net"
import { join } from "node:path"
import { Effect, type Scope } from "effect"
import { makeTemporary } from "./temporary.ts"

export interface Pipe {
  readonly reader: Socket
  /** For the child; to be closed here once the child has it. */
  readonly childEnd: number
}

export interface PipePool {
  readonly take: Effect.Effect<Pipe | undefined>
}

const STOCK = 16

const openPipe = (path: string): Pipe | undefined => {
  let reading: number | undefined
  try {
    reading = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const childEnd = openSync(path, constants.O_WRONLY)
    unlinkSync(path)
    return { reader: new Socket({ fd: reading, readable: true, writable: false }), childEnd }
  } catch {
    if (reading !== undefined) closeSync(reading)
    return undefined
  }
}

const makeFifos = (paths: ReadonlyArray<string>, path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const child = spawn("mkfifo", ["-m", "600", ...paths], { stdio: "ignore", env: { PATH: path } })
    child.once("error", () => resolve(false))
    child.once("exit", (code) => resolve(code === 0))
  })

const make = (searchPath: string) => {
  let directory: string | undefined
  const stock: Array<string> = []
  let made = 0
  let filling: Promise<void> | undefined
  let usable = true
  const fill = async (): Promise<void> => {
    const place = directory !== undefined && existsSync(directory) ? directory : makeTemporary("pipes")
    directory = place
    const paths = Array.from({ length: STOCK }, () => join(place, String(made++)))
    usable = await makeFifos(paths, searchPath)
    if (usable) stock.push(...paths)
  }
  const refill = (): Promise<void> =>
    (filling ??= fill()
      .catch(() => void (usable = false))
      .finally(() => (filling = undefined)))
  const take = Effect.promise(async () => {
    if (stock.length === 0 && usable) await refill()
    const path = stock.shift()
    const pipe = path === undefined ? undefined : openPipe(path)
    if (pipe !== undefined || !usable) {
      if (stock.length < STOCK / 4 && usable) void refill()
      return pipe
    }
    // Gone, and the rest of the stock with it.
    stock.length = 0
    await refill()
    return stock.length === 0 ? undefined : openPipe(stock.shift() ?? "")
  })
  const dispose = Effect.promise(async () => {
    await filling
    if (directory !== undefined) rmSync(directory, { recursive: true, force: true })
  })
  return { pool: { take }, dispose }
}

/** `searchPath`: where `mkfifo` is looked for. */
export const makePipePool = (searchPath: string): Effect.Effect<PipePool, never, Scope.Scope> =>
  Effect.sync(() => make(searchPath)).pipe(
    Effect.tap(({ dispose }) => Effect.addFinalizer(() => dispose)),
    Effect.map(({ pool }) => pool)
  )
