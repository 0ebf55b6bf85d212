/**
 * Credentials that a clone left in its repository's own configuration: in the URL of a remote, or as a header (as CI
 * systems put it there). Read as data, to be masked; nothing of it takes effect, trusted or not.
 * Invariant: only what a machine made up counts, so that a hostile repository cannot blank out ordinary words.
 */
import { join } from "node:path"
import { Redacted } from "effect"
import { readText } from "./configFile.ts"
import { secretsOfUrls } from "./secretValues.ts"

const SHORTEST = 12
const header = /extraheader\s*=\s*"?authorization:\s*(?:basic|bearer|token)\s+([A-Za-z0-9+/=._~-]+)/gi

/** Secrets in `.git/config`; none where there is no such file. */
export const repositorySecrets = (workspace: string): ReadonlyArray<Redacted.Redacted> => {
  try {
    const text = readText(join(workspace, ".git", "config"), false)
    const headers = Array.from(text.matchAll(header), ([, value = ""]) => value)
    const made = [...secretsOfUrls(text), ...headers].filter((one) => one.length >= SHORTEST && /\d/.test(one))
    return Array.from(new Set(made), (value) => Redacted.make(value))
  } catch {
    return []
  }
}
