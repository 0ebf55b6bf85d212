/**
 * The engine inside another program: its own provider and reporter, its own tools, one gate. Owns: the defaults of
 * that composition. Nobody is asked unless an approver is given: what would ask then ends with `approval_required`.
 */
import { Layer } from "effect"
import type { Mode } from "../approval/ApprovalGate.ts"
import { type Approver, layerNobody } from "../approval/Approver.ts"
import * as Gate from "../approval/Gate.ts"
import * as GateSettings from "../approval/GateSettings.ts"
import * as MemoryGrants from "../approval/MemoryGrants.ts"
import * as SystemPrompt from "../context/SystemPrompt.ts"
import * as Engine from "../engine/Engine.ts"
import type { Tool } from "../tools/Tool.ts"
import * as ToolRegistry from "../tools/ToolRegistry.ts"

export interface Options {
  readonly tools?: ReadonlyArray<Tool>
  readonly system?: string
  /** Default `ask`: what changes something is asked of the approver. */
  readonly mode?: Mode
  /** Root that path grants and rules are relative to; default the current directory. */
  readonly workspace?: string
  readonly approver?: Layer.Layer<Approver>
}

/** The engine over the Provider and the Reporter that the program provides. */
export const layer = (options: Options = {}) => {
  const { tools = [], system = "You are a helpful assistant.", mode = "ask", workspace = process.cwd() } = options
  const gate = Gate.layer.pipe(
    Layer.provide([GateSettings.layer({ workspace, mode }), MemoryGrants.layerMemory, options.approver ?? layerNobody])
  )
  return Engine.layer.pipe(Layer.provide([ToolRegistry.layer(tools), gate, SystemPrompt.layerText(system)]))
}
