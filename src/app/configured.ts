/** From the words of a command to the configuration it runs with: flags, and the directory it works in. */
import type { CommandLine } from "../cli/CommandLine.ts"
import { type ConfigInput, load } from "../config/AppConfig.ts"

const serverFlags = ({ values, switches }: CommandLine) => ({
  ...(values["host"] === undefined ? {} : { host: values["host"] }),
  ...(values["tcp-port"] === undefined ? {} : { tcp_port: Number(values["tcp-port"]) }),
  ...(values["http-port"] === undefined ? {} : { http_port: Number(values["http-port"]) }),
  ...(switches.has("no-auth") ? { auth: false } : {})
})

const limitFlags = ({ values }: CommandLine) => {
  const limits = {
    ...(values["max-turns"] === undefined ? {} : { max_turns: Number(values["max-turns"]) }),
    ...(values["max-cost"] === undefined ? {} : { task_cost_usd: Number(values["max-cost"]) })
  }
  return Object.keys(limits).length === 0 ? {} : { limits }
}

const flagsOf = (line: CommandLine, { values } = line) => ({
  ...(values["provider"] === undefined ? {} : { provider: values["provider"] }),
  ...(values["base-url"] === undefined ? {} : { base_url: values["base-url"] }),
  ...(values["model"] === undefined ? {} : { model: values["model"] }),
  ...(values["fallback-model"] === undefined
    ? {}
    : { fallback_models: values["fallback-model"].split(",").map((name) => name.trim()) }),
  ...(values["mode"] === undefined ? {} : { mode: values["mode"] as "ask" }),
  ...limitFlags(line),
  server: serverFlags(line)
})

/** What must work in a directory whose own file does not load: it finds out, shows what was done, and takes back. */
const MENDING: ReadonlySet<string> = new Set(["trust", "doctor", "grants", "audit", "sessions", "usage", "protocol"])

export const mends = ({ command }: CommandLine): boolean => MENDING.has(command.name)

/** Reads everything anew. */
export const configured = (line: CommandLine, repository?: ConfigInput["repository"]) => {
  const how = repository ?? (mends(line) ? "tolerated" : undefined)
  return load({
    flags: flagsOf(line),
    ...(line.values["cwd"] === undefined ? {} : { workspace: line.values["cwd"] }),
    ...(how === undefined ? {} : { repository: how })
  })
}
