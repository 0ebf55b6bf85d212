/** Loads the one contender that is measured. claw comes as it ships: all of it in one file, made by the build's own bundler. */
import { pathToFileURL } from "node:url"
import type { Contender, ContenderName, ContenderOptions } from "./contender.ts"

export interface LoadOptions extends ContenderOptions {
  /** `contenders/claw.ts`, bundled. */
  readonly bundle: string
}

export const load = async (name: ContenderName, { bundle, ...options }: LoadOptions): Promise<Contender> => {
  if (name === "raw") return (await import("./raw.ts")).make(options)
  if (name === "sdk") return (await import("./sdk.ts")).make(options)
  const claw = (await import(pathToFileURL(bundle).href)) as typeof import("./claw.ts")
  return claw.make(options, name === "claw-sqlite")
}
