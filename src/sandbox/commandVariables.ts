/**
 * Variables and names whose value is run: `PAGER=…`, `alias x=…` (SECURITY P4, T2). Owns: the table, with names that are
 * and names that are not. It is for deny rules: an assignment is never plain. Pure.
 */
const set = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

const COMMANDS = set(`PROMPT_COMMAND PAGER MANPAGER GIT_PAGER SYSTEMD_PAGER DELTA_PAGER BAT_PAGER EDITOR VISUAL FCEDIT
  GIT_EDITOR GIT_SEQUENCE_EDITOR SUDO_EDITOR GIT_SSH GIT_SSH_COMMAND GIT_EXTERNAL_DIFF GIT_ASKPASS SSH_ASKPASS SUDO_ASKPASS
  GIT_PROXY_COMMAND BROWSER GH_BROWSER GH_PAGER GH_EDITOR LESSOPEN LESSCLOSE RSYNC_RSH CVS_RSH SVN_SSH SVN_EDITOR HGEDITOR
  FZF_DEFAULT_COMMAND FZF_DEFAULT_OPTS KUBE_EDITOR KUBECTL_EXTERNAL_DIFF RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER RUSTC
  SHELL CONFIG_SHELL MAKESHELL CC CXX CPP LD AR AS PS0 PS1 PS2 PS4 BASH_ENV ENV XTERM_SHELL TERMINAL
  npm_config_script_shell NPM_CONFIG_SCRIPT_SHELL npm_config_git MAKEFILES`)
/** Of numbered or suffixed ones. */
const FAMILIES = /^(?:GIT_CONFIG_VALUE_\d+|CARGO_TARGET_\w+_(?:LINKER|RUNNER)|BASH_FUNC_.*)$/

/** A file that is read as a script before anything else. */
const FILES = /^(?:BASH_ENV|ENV|MAKEFILES)$/

/** Whether what this variable holds is run as a command. */
export const runsValue = (name: string): boolean => COMMANDS.has(name) || FAMILIES.test(name)

/** What it would run. */
export const commandIn = (name: string, value: string): string =>
  FILES.test(name)
    ? `${name === "MAKEFILES" ? "make -f" : "."} ${value}`
    : name.startsWith("LESS")
      ? value.replace(/^\|+-?/, "")
      : name.startsWith("GIT_CONFIG_VALUE")
        ? value.replace(/^!/, "")
        : value.replace(/^\(\)\s*/, "")
