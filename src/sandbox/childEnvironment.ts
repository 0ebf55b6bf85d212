/**
 * The environment of a child process: what it needs to find its tools, and nothing of the harness (LESSONS 19).
 * Owns: the allow-list and the settings that keep programs from asking or paging (LESSONS 17).
 * Invariant: a variable that is not named here, by pattern or by the operator, never reaches a child.
 */
export type Environment = Readonly<Record<string, string | undefined>>

const NAMES = new Set([
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "LANGUAGE",
  "TZ",
  "TMPDIR",
  "HOSTNAME",
  "XDG_CACHE_HOME",
  "XDG_CONFIG_HOME",
  "XDG_DATA_HOME",
  "JAVA_HOME",
  "GOPATH",
  "GOROOT",
  "CARGO_HOME",
  "RUSTUP_HOME",
  "NVM_DIR",
  "PYENV_ROOT",
  "VIRTUAL_ENV",
  "PNPM_HOME",
  "BUN_INSTALL",
  "DENO_DIR",
  "VOLTA_HOME",
  "ANDROID_HOME",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "NIX_SSL_CERT_FILE",
  "NIX_PATH",
  "NODE_EXTRA_CA_CERTS"
])

const isAllowed = (name: string): boolean => NAMES.has(name) || /^LC_[A-Z]+$/.test(name)

/** git: no prompt, no pager, no editor, no program that a repository's configuration names for a mere look, no bare one found by chance. */
const QUIET = {
  TERM: "dumb",
  NO_COLOR: "1",
  PAGER: "cat",
  MANPAGER: "cat",
  SYSTEMD_PAGER: "cat",
  AWS_PAGER: "",
  EDITOR: "true",
  VISUAL: "true",
  GIT_PAGER: "cat",
  GIT_EDITOR: "true",
  GIT_SEQUENCE_EDITOR: "true",
  GIT_TERMINAL_PROMPT: "0",
  GIT_ASKPASS: "true",
  SSH_ASKPASS: "true",
  SSH_ASKPASS_REQUIRE: "never",
  GIT_SSH_COMMAND: "ssh -oBatchMode=yes",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_CONFIG_COUNT: "3",
  GIT_CONFIG_KEY_0: "core.fsmonitor",
  GIT_CONFIG_VALUE_0: "false",
  GIT_CONFIG_KEY_1: "core.pager",
  GIT_CONFIG_VALUE_1: "cat",
  GIT_CONFIG_KEY_2: "safe.bareRepository",
  GIT_CONFIG_VALUE_2: "explicit",
  GCM_INTERACTIVE: "never",
  DEBIAN_FRONTEND: "noninteractive",
  PIP_NO_INPUT: "1",
  PYTHONUNBUFFERED: "1",
  COMPOSER_NO_INTERACTION: "1"
} as const

/** Names the operator adds are passed on too; they are a decision of the operator's and not of a workspace. */
export const childEnvironment = (own: Environment, extra: ReadonlyArray<string> = []): Record<string, string> => {
  const passed = Object.entries(own).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && (isAllowed(entry[0]) || extra.includes(entry[0]))
  )
  const path = { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" }
  return { ...path, ...Object.fromEntries(passed), ...QUIET }
}
