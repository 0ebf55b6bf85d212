/**
 * Which values are secret: by the name under which they stand, by their place in a URL or a connection string, by their
 * look. Pure. Does not own: how they are masked (observability). Invariant: ordinary words are no secrets, for masking
 * them everywhere would make what a tool says unreadable (R272, SECURITY T6).
 */
import { existsSync } from "node:fs"

/** `AUTHOR` is no `AUTH`; `PWD` alone is where the shell stands. */
const secretName =
  /KEY|TOKEN|SECRET|PASS(?!ING)|CREDENTIAL|AUTH(?!OR)|DSN|COOKIE|JWT|BEARER|PRIVATE|WEBHOOK|SIGNING|(?:^|_)(?:.+_PWD|CREDS?|PIN|PAT|SALT|PSK|OTP|SAS|CONN(?:ECTION)?_?STR(?:ING)?)(?:$|_)/i

/** A short value ("1", "true") would mask ordinary text everywhere. */
const SHORTEST = 8
const SHORTEST_USER = 16

const urlParts = /[a-z][a-z0-9+.-]{0,31}:\/\/([^/\s:@]*)(?::([^/\s@]+))?@/gi
const assigned =
  /(?:^|[?&;\s])(?:[a-z0-9_.-]*(?:password|passwd|pwd|secret|token|api[-_]?key|access[-_]?key|accountkey|signature|sig))\s?=\s?([^;&\s]+)/gi

const hasDigit = (text: string): boolean => /\d/.test(text)

/** Long, of one piece, with letters of both cases and digits: made by a machine, for machines. A digest is not. */
const looksMade = (text: string): boolean =>
  /^[A-Za-z0-9_+=.-]{24,}$/.test(text) && hasDigit(text) && /[a-z]/.test(text) && /[A-Z]/.test(text)

/** Prefixes under which issuers give out their keys. */
const known =
  /^(?:sk|pk|rk|ghp|gho|ghu|ghs|ghr|github_pat|glpat|npm|hf|xox[a-z]|AKIA|ASIA|AIza|claw)[-_A-Za-z0-9]{16,}$/

const decoded = (text: string): ReadonlyArray<string> => {
  try {
    return [text, decodeURIComponent(text)]
  } catch {
    return [text]
  }
}

/** Passwords, and users that are keys, in whatever a text holds of URLs. */
export const secretsOfUrls = (text: string): ReadonlyArray<string> =>
  Array.from(text.matchAll(urlParts)).flatMap(([, user = "", password]) => [
    ...(password === undefined ? [] : decoded(password)),
    ...(user.length >= SHORTEST_USER && hasDigit(user) ? decoded(user) : [])
  ])

/** What follows `password=` and its like, in a query or a connection string. */
const secretsAssigned = (text: string): ReadonlyArray<string> =>
  Array.from(text.matchAll(assigned)).flatMap(([, value = ""]) => (value.length >= SHORTEST ? decoded(value) : []))

/** A path is where a secret lies and is needed to read on; a number is a limit of something. */
const isOrdinary = (value: string): boolean => /^\d{1,15}$/.test(value) || (/[/.]/.test(value) && existsSync(value))

/** All that is secret of a value under a name. */
export const secretsIn = (name: string, value: string): ReadonlyArray<string> => [
  ...(value.length >= SHORTEST && (secretName.test(name) || looksMade(value) || known.test(value)) && !isOrdinary(value)
    ? [value]
    : []),
  ...secretsOfUrls(value),
  ...secretsAssigned(value)
]
