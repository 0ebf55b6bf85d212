/**
 * Kills inside of what is done to a whole store: migration, backup, restore, compaction (C20). Owns: what must stand
 * there afterwards: the old or the new, never a mixture, and the same work again comes to its end.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { Store } from "./disk.ts"
import { readStore } from "./disk.ts"
import type { Job, Pair } from "./job.ts"
import type { Place } from "./run.ts"
import { recordedPairs, type Row } from "./table.ts"

type Work = NonNullable<Job["work"]>

const FIXTURE = new URL("../../test/store/fixtures/format-1.sql", import.meta.url)
/** Of the fixture. */
const SESSION = "s"

/** A store of the first format; for all but a migration brought to the newest. */
const template = async (place: Place, work: Work): Promise<string> => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "claw-upkeep-")))
  mkdirSync(join(home, "state"), { mode: 0o700 })
  const file = join(home, "state/claw.db")
  const make = (fill: (db: DatabaseSync) => void) => {
    const db = new DatabaseSync(file)
    fill(db)
    db.close()
  }
  make((db) => db.exec(`PRAGMA auto_vacuum = INCREMENTAL; ${readFileSync(FIXTURE, "utf8")}`))
  if (work === "open") return home
  await perform(place, home, { work: "open" })
  if (work === "restore") await perform(place, home, { work: "backup" })
  // Pages that hold nothing.
  make((db) =>
    db.exec(
      "CREATE TABLE junk (x TEXT); INSERT INTO junk SELECT hex(randomblob(2000)) FROM pragma_function_list LIMIT 200; DROP TABLE junk"
    )
  )
  return home
}

/** True: it came to its end. */
const perform = async (place: Place, home: string, job: Omit<Job, "home" | "base_url">): Promise<boolean> => {
  const victim = await place.pool.take()
  victim.say({ job: { home, base_url: "http://127.0.0.1:1/v1", ...job } })
  const told = await victim.next()
  if (told?.done === undefined) {
    await victim.gone
    return false
  }
  place.pool.give(victim)
  return true
}

const rowsOf = ({ rows }: Store): string => JSON.stringify(rows)

const integrity = (file: string): string => {
  const scratch = mkdtempSync(join(tmpdir(), "claw-look-"))
  try {
    for (const tail of ["", "-wal"])
      if (existsSync(`${file}${tail}`)) cpSync(`${file}${tail}`, join(scratch, `db${tail}`))
    const db = new DatabaseSync(join(scratch, "db"))
    try {
      return String(Object.values(db.prepare("PRAGMA integrity_check").get() ?? {})[0])
    } finally {
      db.close()
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

const whole = (home: string, when: string): ReadonlyArray<string> => {
  const found = integrity(join(home, "state/claw.db"))
  return found === "ok" ? [] : [`C20: ${when} the store is not whole: ${found}`]
}

const backups = (home: string, when: string): ReadonlyArray<string> => {
  const file = join(home, "backup.db")
  if (!existsSync(file)) return []
  const found = integrity(file)
  return found === "ok" ? [] : [`C20: ${when} the backup is not whole: ${found}`]
}

const killedIn = async (place: Place, from: string, work: Work, pair: Pair): Promise<Row> => {
  const home = `${from}-${pair.name.replaceAll(/\W+/g, "-")}-${pair.nth}`
  cpSync(from, home, { recursive: true })
  try {
    const reached = !(await perform(place, home, { work, kill: pair }))
    const [then, early] = [
      readStore(home, SESSION),
      [...whole(home, "after the kill"), ...backups(home, "after the kill")]
    ]
    // A backup that was delivered is there; it is never written over.
    const again = (work === "backup" && existsSync(join(home, "backup.db"))) || (await perform(place, home, { work }))
    const opens = await perform(place, home, { work: "open" })
    const now = readStore(home, SESSION)
    const last = [...whole(home, "in the end"), ...backups(home, "in the end")]
    const lost = then.rows.length > 0 && rowsOf(then) !== rowsOf(now) ? ["C20: records changed"] : []
    const complete = now.rows.length === 15 ? [] : [`C20: ${now.rows.length} of 15 records`]
    const failed = again && opens ? [] : ["C20: the same again does not come to its end"]
    return {
      scene: work === "open" ? "migrate" : work,
      pair,
      cases: ["C20"],
      state: `format ${then.format}, ${then.rows.length} records`,
      resumed: `format ${now.format}, ${now.rows.length} records`,
      effects: "–",
      complaints: [...early, ...last, ...lost, ...complete, ...failed],
      reached
    }
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

export const upkeeps: ReadonlyArray<Work> = ["open", "backup", "restore", "compact"]

/** The rows of one kind of work. */
export const upkeepPairs = async (
  place: Place,
  work: Work
): Promise<{
  readonly pairs: ReadonlyArray<Pair>
  readonly kill: (pair: Pair) => Promise<Row>
  readonly end: () => void
}> => {
  const from = await template(place, work)
  const pairs = await recordedPairs(async (record) => {
    const home = `${from}-record`
    cpSync(from, home, { recursive: true })
    await perform(place, home, { work, record })
    rmSync(home, { recursive: true, force: true })
  })
  return {
    pairs,
    kill: (pair) => killedIn(place, from, work, pair),
    end: () => rmSync(from, { recursive: true, force: true })
  }
}
