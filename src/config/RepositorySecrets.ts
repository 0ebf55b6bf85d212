/**
 * Credentials that lie in a workspace: in its repository's own configuration, where a clone left them (the URL of a
 * remote, or a header, as CI systems put it there), and in `.env` and its kin at its top. Read as data, to be masked;
 * nothing of it takes effect, trusted or not.
 * Invariant: only what a machine made up counts, so that a hostile repository cannot blank out ordinary words.
 */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { parseEnv } from "node:util"
import { Redacted } from "effect"
import { readText } from "./configFile.ts"
import { isEnvironmentFile } from "./SecretPlaces.ts"
import { secretsIn, secretsOfUrls } from "./secretValues.ts"

const SHORTEST = 12
const header = /extraheader\s*=\s*"?authorization:\s*(?:basic|bearer|token)\s+([A-Za-z0-9+/=._~-]+)/gi

/** Files of the environment that are looked into. */
const MOST_FILES = 20

const ofGit = (workspace: string): ReadonlyArray<string> => {
  const text = readText(join(workspace, ".git", "config"), false)
  return [...secretsOfUrls(text), ...Array.from(text.matchAll(header), ([, value = ""]) => value)]
}

const ofEnvironment = (file: string): ReadonlyArray<string> =>
  Object.entries(parseEnv(readText(file, false))).flatMap(([name, value = ""]) => secretsIn(name, value))

const orNone = <A>(read: () => ReadonlyArray<A>): ReadonlyArray<A> => {
  try {
    return read()
  } catch {
    return []
  }
}

/** None where there is no such file, or it cannot be read. */
export const repositorySecrets = (workspace: string): ReadonlyArray<Redacted.Redacted> => {
  const names = orNone(() => readdirSync(workspace))
    .filter(isEnvironmentFile)
    .toSorted()
    .slice(0, MOST_FILES)
  const found = [
    ...orNone(() => ofGit(workspace)),
    ...names.flatMap((name) => orNone(() => ofEnvironment(join(workspace, name))))
  ]
  const made = found.filter((one) => one.length >= SHORTEST && /\d/.test(one))
  return Array.from(new Set(made), (value) => Redacted.make(value))
}
