/**
 * What is measured, alike for everybody: a conversation is opened, then one prompt runs to its end, tools included.
 * Owns: the contract, the prompt and the tool that all contenders share. A contender is loaded only in the process that
 * measures it.
 */

export const PROMPT = "Begin."
export const SYSTEM = "You are a bench agent."

export const NOOP = {
  name: "noop",
  description: "Does nothing.",
  parameters: {
    type: "object",
    properties: { i: { type: "number" }, text: { type: "string" } },
    required: ["i", "text"],
    additionalProperties: false
  }
} as const

/** The tool of the loops that have no registry: gives its text back. It may not answer at once: no real tool does. */
export const noop = async (args: { readonly text: string }): Promise<string> => args.text

/** `output`: live text of a tool; `asked`, `started`: a tool call waits for approval, or runs. */
export type Sign = "output" | "asked" | "started"

export interface Watch {
  readonly onText?: (text: string) => void
  readonly onSign?: (sign: Sign, content: string) => void
}

export interface Running {
  /** Resolves at the end, also of a cancelled run; for claw, when its terminal event is published. */
  readonly ended: Promise<void>
  readonly cancel: () => void
}

export interface Conversation {
  readonly run: (watch: Watch) => Running
  readonly close: () => Promise<void>
}

export interface Contender {
  /** `model` is a behaviour of the server. */
  readonly open: (model: string) => Promise<Conversation>
  readonly close: () => Promise<void>
  /** Fibers that live now, where there are fibers and they are counted. */
  readonly fibers: () => number
}

export type ContenderName = "raw" | "sdk" | "claw" | "claw-sqlite"

export interface ContenderOptions {
  readonly base_url: string
  readonly countFibers: boolean
}

/** True where the model's behaviour is about tools, so that the tool is offered. */
export const hasTools = (model: string): boolean => model.startsWith("tools")
