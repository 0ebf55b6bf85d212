/**
 * The load, in a process of its own: `drive.ts '{"job":…,"lab":…}'`, one JSON line out. Started by main.ts.
 * A connection that ends while nobody waits for it is no error of the driver; whoever waits is told.
 */
import type { Job, Lab } from "./lab.ts"

export interface Drive {
  readonly job: string
  readonly lab: Lab
}

const { job, lab } = JSON.parse(process.argv[2] ?? "") as Drive
const module = (await import(`./jobs/${job}.ts`)) as Readonly<Record<string, Job>>
const run = module[job]
if (run === undefined) throw new Error(`jobs/${job}.ts has no ${job}`)
const numbers = await run(lab)
process.stdout.write(`${JSON.stringify(numbers)}\n`, () => process.exit(0))
