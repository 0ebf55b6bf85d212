/**
 * Commands that take along, build from or serve all that lies in a directory (SECURITY P1, T2): `npm pack`, `docker build .`,
 * `python3 -m http.server`. Owns: the table, and which commands with a directory among their words are known to hand none of
 * it on. Does not own: programs that walk by themselves (CommandWalks), git's tree (commandWholeTree). Pure.
 */
import type { SimpleCommand } from "../domain/Approval.ts"
import { ALLOWED } from "./commandAllowed.ts"
import { isReadOnlyProgram, plainName, SHELL_STATE, TEXT_ONLY, WRITERS } from "./commandTables.ts"

const set = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** Whatever their words. */
const ALWAYS =
  set(`serve http-server live-server darkhttpd webfsd miniserve surge vercel now netlify firebase fly flyctl
  wrangler setup.py pyproject-build`)
/** Program → its first words, any of which says so. */
const ROWS: Readonly<Record<string, RegExp>> = {
  npm: /^(?:pack|publish|pub)$/,
  pnpm: /^(?:pack|publish|deploy)$/,
  yarn: /^(?:pack|publish)$/,
  bun: /^(?:publish|pm)$/,
  npx: /^(?:serve|http-server|live-server|surge|vercel|netlify(?:-cli)?|wrangler)(?:@.*)?$/,
  docker: /^(?:build|bud|bake|compose|buildx)$/,
  buildah: /^(?:build|bud)$/,
  python: /^(?:http\.server|zipfile|tarfile|compileall|build|setup\.py)$/,
  php: /^-S/,
  ruby: /^-run$/,
  busybox: /^httpd$/,
  caddy: /^(?:file-server|run|start)$/,
  openssl: /^s_server$/,
  poetry: /^(?:build|publish)$/,
  uv: /^(?:build|publish)$/,
  hatch: /^(?:build|publish)$/,
  flit: /^(?:build|publish)$/,
  cargo: /^(?:package|publish)$/,
  gem: /^(?:build|push)$/,
  gcloud: /^(?:app|run|functions|builds)$/,
  heroku: /^container:/
}
const SAME: Readonly<Record<string, string>> = { podman: "docker", nerdctl: "docker", pypy: "python" }

const CONTAINERS = set("docker podman nerdctl")
const COMPOSES = /^(?:build|up|run|create|watch)$/
/** `-v .:/x`, `--mount type=bind,src=.` */
const HERE = /^(?:\.\/?|\$PWD|\$\{PWD\}|\$\(pwd\)|`pwd`)$/
const BINDS = /^(?:-v|--volume=?|--mount=?)/

const bindsHere = (args: ReadonlyArray<string>, workspace: string): boolean =>
  args.some((word) => /[:=]/.test(word) && word.split(/[:,=]/).some((part) => HERE.test(part) || part === workspace)) &&
  args.some((word) => BINDS.test(word))

/** `git clone . x` */
const clonesHere = (args: ReadonlyArray<string>, paths: ReadonlyArray<string>, workspace: string): boolean =>
  args.includes("clone") &&
  (paths.some((path) => path === workspace || workspace.startsWith(`${path}/`)) ||
    args.some((word) => /^file:/i.test(word)))

/** A container is given the working directory, whatever else it names. */
export const mountsHere = ({ argv, names }: SimpleCommand, workspace: string): boolean =>
  [argv[0]?.split("/").at(-1) ?? "", ...names].some((name) => CONTAINERS.has(name)) &&
  bindsHere(argv.slice(1), workspace)

/** The working directory goes along, or those that it names. */
export const takesTree = ({ argv, names, paths }: SimpleCommand, workspace: string): boolean => {
  const args = argv.slice(1)
  return [argv[0]?.split("/").at(-1) ?? "", ...names].some((name) => {
    const plain = plainName(name)
    const known = Object.hasOwn(SAME, plain) ? SAME[plain]! : plain
    if (known === "git") return clonesHere(args, paths, workspace)
    if (ALWAYS.has(known)) return true
    if (known === "docker" && args.includes("compose")) return args.some((word) => COMPOSES.test(word))
    const row = Object.hasOwn(ROWS, known) ? ROWS[known] : undefined
    return row !== undefined && args.slice(0, 6).some((word) => row.test(word))
  })
}

/** They look at what lies there, say what is wrong with it, and hand on none of it. */
const CHECKS =
  set(`ruff black mypy isort flake8 pylint pyright bandit biome oxlint oxfmt stylelint shellcheck gofmt rustfmt
  golangci-lint clippy swiftlint ktlint rubocop tsx tsgo dprint make gmake git cd pushd`)

/** Of a directory that it names, nobody knows that it leaves alone what lies below. */
export const mayTakeTree = ({ argv, names }: SimpleCommand): boolean => {
  const all = [argv[0]?.split("/").at(-1) ?? "", ...names].map(plainName)
  return !all.some(
    (name) =>
      CHECKS.has(name) ||
      TEXT_ONLY.has(name) ||
      WRITERS.has(name) ||
      SHELL_STATE.has(name) ||
      isReadOnlyProgram(name) ||
      (Object.hasOwn(ALLOWED, name) && !["docker", "kubectl", "gh", "pip"].includes(name))
  )
}
