/**
 * An attacker with write access to the workspace: a thread that puts a link to outside in the place of something
 * inside and takes it back, as fast as it can, by atomic renames.
 */
import { Worker } from "node:worker_threads"
import { Effect } from "effect"

export interface Exchange {
  /** What is exchanged: a file or a directory inside. */
  readonly inside: string
  readonly outside: string
  readonly directory: boolean
}

const main = (fs: typeof import("node:fs"), data: Exchange & { readonly rounds: Int32Array }): void => {
  const { directory, inside, outside, rounds } = data
  const parked = `${inside}.parked`
  const link = `${inside}.link`
  const original = `${inside}.original`
  const fresh = `${inside}.fresh`
  // Hard links of one file: no data is flushed, so that the exchange is fast.
  if (!directory) fs.writeFileSync(original, "inside")
  const remove = (path: string) => fs.rmSync(path, { recursive: true, force: true })
  const exchange = () => {
    fs.symlinkSync(outside, link)
    if (directory) {
      fs.renameSync(inside, parked)
      fs.renameSync(link, inside)
      fs.unlinkSync(inside)
      fs.renameSync(parked, inside)
    } else {
      fs.renameSync(link, inside)
      fs.linkSync(original, parked)
      fs.renameSync(parked, inside)
    }
  }
  // The victim may have made the directory anew while it was parked: then begin again with a fresh one, which is there
  // whole or not at all, since an empty file is none that the victim could have seen inside.
  const repair = () => {
    remove(link)
    remove(parked)
    if (!directory) return
    remove(inside)
    remove(fresh)
    fs.mkdirSync(fresh)
    fs.writeFileSync(`${fresh}/x.txt`, "inside")
    fs.renameSync(fresh, inside)
  }
  while (Atomics.load(rounds, 1) === 0) {
    try {
      exchange()
      Atomics.add(rounds, 0, 1)
    } catch {
      try {
        repair()
      } catch {}
    }
  }
}

/** Goes on until the scope closes; `rounds` tells how often it exchanged. */
export const exchanging = (exchange: Exchange) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        const rounds = new Int32Array(new SharedArrayBuffer(8))
        const source = `(${main.toString()})(require("node:fs"), require("node:worker_threads").workerData)`
        return { rounds, worker: new Worker(source, { eval: true, workerData: { ...exchange, rounds } }) }
      }),
      ({ rounds, worker }) =>
        Effect.promise(async () => {
          const exited = new Promise((resolve) => worker.once("exit", resolve).once("error", resolve))
          Atomics.store(rounds, 1, 1)
          await exited
        })
    ),
    ({ rounds }) =>
      () =>
        Atomics.load(rounds, 0)
  )
