/**
 * One run: a scene in a home of its own, killed, started again, until nothing is left to do; then the evidence. Owns:
 * the order of that. Does not own: processes (pool), judging (check).
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { check, type Evidence, type Moment } from "./check.ts"
import { Client } from "./client.ts"
import { readEffects, readFiles, readStore, survivors } from "./disk.ts"
import type { Job } from "./job.ts"
import type { Line, Model } from "./model.ts"
import type { Pool, Victim } from "./pool.ts"
import { type Scene, scriptOf } from "./scenes.ts"

export const SESSION = "kills"
/** Longer than one process of a run takes on a busy machine. */
const PATIENCE_MS = 60_000

export interface Place {
  readonly pool: Pool
  readonly model: Model
}

export interface Outcome {
  readonly complaints: ReadonlyArray<string>
  readonly evidence: Evidence
  /** How many of the wanted kills happened. */
  readonly killed: number
  readonly errors: ReadonlyArray<string>
}

let runs = 0

const homeFor = (scene: Scene): string => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "claw-kill-")))
  mkdirSync(join(home, "work"))
  for (const [path, text] of Object.entries(scene.files ?? {})) {
    mkdirSync(join(home, "work", path, ".."), { recursive: true })
    writeFileSync(join(home, "work", path), text)
  }
  return home
}

const momentOf = (home: string): Moment => ({
  store: readStore(home, SESSION),
  effects: readEffects(home),
  files: readFiles(home)
})

interface Going {
  readonly scene: Scene
  readonly place: Place
  readonly home: string
  readonly client: Client
  readonly line: Line
  readonly kills: Array<Moment>
  readonly pauses: Array<Moment>
  /** Whether it is asked once more when all is done. */
  readonly again: boolean
  /** Processes that were alive when all was done; undefined: it is not. */
  alive: ReadonlyArray<number> | undefined
}

type End = "idle" | "killed" | "drained" | "late"

/** Until there is nothing to do, or the process is gone. */
const attend = async (going: Going, victim: Victim, port: number): Promise<End> => {
  const { client, pauses, scene } = going
  // A process that is ended as soon as it comes up would come to nothing.
  let drained = pauses.length > 0
  return new Promise<End>((done) => {
    const finish = (end: End) => {
      clearTimeout(timer)
      client.onChange = () => {}
      done(end)
    }
    const timer = setTimeout(() => finish("late"), PATIENCE_MS)
    client.onChange = () => {
      if (client.isIdle()) {
        if (going.alive !== undefined) return finish("idle")
        // All is done. Does it take another prompt?
        going.alive = survivors(going.home)
        if (!going.again) return finish("idle")
        return client.extend([{ key: "again", content: "Are you there?" }])
      }
      if (drained || scene.drain?.(client) !== true) return
      drained = true
      victim.say({ stop: "drain" })
      void victim.next().then((told) => told?.stopped !== undefined && finish("drained"))
    }
    void victim.gone.then(() => finish("killed"))
    client.attach(port)
  })
}

/** `after_ms`: the process is killed so long after it is ready, wherever it is. */
export type Wanted = Pick<Job, "kill" | "record"> & { readonly after_ms?: number }

/** One process of the run. */
const live = async (going: Going, { after_ms, ...job }: Wanted): Promise<End> => {
  const { client, home, kills, line, place } = going
  const victim = await place.pool.take()
  victim.say({ job: { home, base_url: line.base_url, ...job } })
  const told = await victim.next()
  const timer = after_ms === undefined ? undefined : setTimeout(() => void victim.kill(), after_ms)
  const end = told?.ready === undefined ? "killed" : await attend(going, victim, told.ready)
  clearTimeout(timer)
  if (end === "late") await victim.kill()
  if (end === "idle") {
    // Nobody is there any more, and no task runs: it gives the session up.
    victim.say({ stop: "close" })
    const last = await victim.next()
    if (last?.stopped !== undefined) place.pool.give(victim)
  }
  if (end === "drained") {
    place.pool.give(victim)
    going.pauses.push(momentOf(home))
  }
  client.leave()
  if (victim.isGone) {
    if (victim.stderr !== "") client.errors.push(victim.stderr)
    kills.push(momentOf(home))
    return end === "late" ? "late" : "killed"
  }
  return end
}

/** Kills as the jobs say, one process after another; then goes on undisturbed. */
export const run = async (
  place: Place,
  scene: Scene,
  jobs: ReadonlyArray<Wanted>,
  { again = true }: { readonly again?: boolean } = {}
): Promise<Outcome> => {
  const home = homeFor(scene)
  const before = readFiles(home)
  const client = new Client(SESSION, scene.part)
  const [kills, pauses]: [Array<Moment>, Array<Moment>] = [[], []]
  const line = place.model.line(`run${(runs += 1)}`, scriptOf(scene), () => kills.length)
  const going: Going = {
    pauses,
    scene,
    place,
    home,
    client,
    line,
    kills,
    again,
    alive: undefined
  }
  try {
    let end: End = "killed"
    for (const job of jobs) if (end !== "idle" && end !== "late") end = await live(going, job)
    const killed = kills.length
    while (end !== "idle" && end !== "late") end = await live(going, {})
    const evidence: Evidence = {
      before,
      kills,
      pauses,
      end: momentOf(home),
      requests: line.requests,
      seen: client.facts,
      acknowledged: client.acknowledged,
      replies: client.replies,
      writers: new Map(Object.entries(scene.writers ?? {})),
      labels: new Map(Object.entries(scene.labels ?? {})),
      ends: new Map(Object.entries(scene.ends ?? {})),
      survivors: going.alive ?? [],
      answersAgain: end === "idle"
    }
    return { complaints: check(evidence), evidence, killed, errors: client.errors }
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 3 })
  }
}
