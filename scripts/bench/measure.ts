/**
 * One measurement in one fresh process: `measure.ts '{"job":…,"contender":…,"bundle":…,"port":…,"params":…}'`, one JSON line out.
 * Started by main.ts with `--expose-gc`. Only the contender that is measured is loaded.
 */
import type { ContenderName } from "./contenders/contender.ts"
import { load } from "./contenders/load.ts"
import type { Job, Params } from "./jobs/job.ts"
import { control } from "./serverControl.ts"

export interface Measurement {
  readonly job: string
  readonly file: string
  readonly contender: ContenderName
  /** See `load`. */
  readonly bundle: string
  readonly port: number
  readonly params: Params
}

const { job, file, contender: name, bundle, port, params } = JSON.parse(process.argv[2] ?? "") as Measurement
const server = control(port)
const module = (await import(`./jobs/${file}.ts`)) as Readonly<Record<string, Job>>
const run = module[file]
if (run === undefined) throw new Error(`jobs/${file}.ts has no ${file} for ${job}`)
const contender = await load(name, { bundle, base_url: server.base_url, countFibers: file === "leak" })
const numbers = await run({ contender, server, params })
await contender.close()
process.stdout.write(`${JSON.stringify(numbers)}\n`, () => process.exit(0))
