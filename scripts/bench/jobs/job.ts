/** What a job is: it drives one contender in a process of its own and gives numbers by name. */
import type { Contender, Watch } from "../contenders/contender.ts"
import type { Control } from "../serverControl.ts"

export type Params = Readonly<Record<string, number>>
export type Numbers = Record<string, number>

export interface Lab {
  readonly contender: Contender
  readonly server: Control
  readonly params: Params
}

export type Job = (lab: Lab) => Promise<Numbers>

export const param = ({ params }: Lab, name: string): number => {
  const value = params[name]
  if (value === undefined) throw new Error(`the job has no parameter ${name}`)
  return value
}

/** One prompt in a conversation of its own, to its end. */
export const once = async ({ contender }: Lab, model: string, watch: Watch = {}): Promise<void> => {
  const conversation = await contender.open(model)
  await conversation.run(watch).ended
  await conversation.close()
}
