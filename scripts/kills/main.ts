/**
 * `npm run kills`: the kill table, green or not. `-- --quick`: every point once, wherever it is met first. `--scene
 * PATTERN`: only these. `--random N [--seed S] [--from RUN]`: N kills at random points and times. `--mutants`: guards are
 * taken away, those that `--scene` names, and the table or a test must notice. Owns: the command line and what is printed.
 */
import { openModel } from "./model.ts"
import { mutants } from "./mutants.ts"
import { build, discard, openPool } from "./pool.ts"
import { printed, summary } from "./print.ts"
import { randomKills } from "./random.ts"
import type { Place } from "./run.ts"
import { tableOf } from "./whole.ts"
import { optionsOf } from "../options.ts"

const values = optionsOf("kills", {
  quick: { type: "boolean", default: false },
  scene: { type: "string" },
  random: { type: "string" },
  seed: { type: "string" },
  from: { type: "string", default: "1" },
  mutants: { type: "boolean", default: false },
  jobs: { type: "string", default: "3" }
})
const atOnce = Number(values.jobs)

const table = async (place: Place): Promise<boolean> => {
  const began = performance.now()
  const rows = await tableOf(
    place,
    { atOnce, quick: values.quick, ...(values.scene === undefined ? {} : { scene: new RegExp(values.scene) }) },
    (row) => console.log(printed(row))
  )
  const { good, text } = summary(rows, values.scene === undefined)
  console.log(`${text}, ${((performance.now() - began) / 1000).toFixed(1)} s`)
  return good
}

const random = async (place: Place, kills: number): Promise<boolean> => {
  const began = performance.now()
  const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))
  console.log(`seed ${seed}`)
  const sum = await randomKills(
    place,
    { seed, kills, from: Number(values.from), atOnce },
    ({ nth, drawn, outcome }) => {
      if (outcome.complaints.length === 0) return
      console.log(`FAIL run ${nth}, ${drawn.scene.name}: ${JSON.stringify(drawn.kills)}`)
      for (const complaint of outcome.complaints) console.log(`     ${complaint}`)
      const { errors, evidence } = outcome
      if (errors.length > 0) console.log(`     the client was told: ${errors.join(" ")}`)
      const last = evidence.end.store.rows.slice(-4).map(({ type }) => type)
      console.log(`     last in the journal: ${last.join(" ")}; on the wire: ${evidence.seen.at(-1)?.type}`)
      console.log(`     again: npm run kills -- --random 1 --seed ${seed} --from ${nth} --jobs 1`)
    }
  )
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  console.log(`seed ${seed}: ${sum.kills} kills in ${sum.runs} runs, ${sum.failed} failed, ${seconds} s`)
  return sum.failed === 0
}

const killing = async (): Promise<boolean> => {
  const { program, directory } = await build()
  const pool = await openPool(program, `${directory}/cache`, atOnce)
  const model = await openModel()
  try {
    const place = { pool, model }
    return await (values.random === undefined ? table(place) : random(place, Number(values.random)))
  } finally {
    await pool.close()
    model.close()
    discard(directory)
  }
}

process.exitCode = (await (values.mutants
  ? mutants((text) => console.log(text), values.scene === undefined ? undefined : new RegExp(values.scene))
  : killing()))
  ? 0
  : 1
