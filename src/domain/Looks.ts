/**
 * Whether a command only looks, for all who ask: the risk of a call, its grants, the mode `plan`. Pure.
 * Invariant: what is not plain is not known to only look.
 */
import type { CommandPlan, SimpleCommand } from "./Approval.ts"

export const isPlain = (command: SimpleCommand): boolean =>
  command.notPlain.length === 0 && command.unsettled.length === 0

/** It looks at the workspace and changes nothing, as far as can be known. */
export const onlyLooks = (command: SimpleCommand): boolean => command.readOnly && isPlain(command)

/** The whole line does. */
export const lineOnlyLooks = ({ commands, doubts, writes }: CommandPlan): boolean =>
  doubts.length === 0 && writes.length === 0 && commands.length > 0 && commands.every(onlyLooks)
