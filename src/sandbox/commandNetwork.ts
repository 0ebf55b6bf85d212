/**
 * Which commands are for reaching other machines, for rules on what a command does. Owns: the table. Pure. Invariant: it makes
 * rules stricter and nothing else; what a program does on the way (a build that fetches what it lacks) is isolation's.
 */
import { skipOptions } from "./commandOptions.ts"
import { plainName } from "./commandTables.ts"

const set = (names: string): ReadonlySet<string> => new Set(names.trim().split(/\s+/))

const ALWAYS =
  set(`ssh scp sftp mosh curl wget wget2 aria2c http https xh nc ncat netcat socat telnet ftp lftp lynx w3m links
  elinks rclone aws gcloud az gsutil gh glab dig nslookup host ping traceroute whois mail sendmail msmtp mutt kubectl oc helm
  terraform tofu pulumi ansible ansible-playbook npx pnpx bunx uvx pipx apt apt-get apk dnf yum pacman zypper brew snap flatpak
  heroku fly flyctl vercel netlify wrangler firebase twine yt-dlp`)

/** What they run has the network, and may be fetched first. */
const CONTAINERS = set("pull push login logout search run create build buildx compose")

/** `python -m` */
const MODULES =
  /^(?:http\.server|smtpd|ftplib|telnetlib|poplib|imaplib|webbrowser|pip (?:install|download|wheel|index|search))(?: |$)/

/** Program → its commands that do. */
const COMMANDS: Readonly<Record<string, ReadonlySet<string>>> = {
  git: set(`fetch pull push clone ls-remote request-pull send-email svn p4 lfs send-pack fetch-pack http-push
    http-fetch subtree imap-send daemon remote-http remote-https remote-ftp remote-ftps`),
  docker: CONTAINERS,
  podman: CONTAINERS,
  nerdctl: CONTAINERS,
  openssl: set("s_client s_server s_time ocsp"),
  getent: set("hosts ahosts ahostsv4 ahostsv6"),
  cargo: set("fetch install publish search update add login logout yank owner info"),
  go: set("get install"),
  pip: set("install download wheel index search"),
  uv: set("add sync lock pip tool publish"),
  poetry: set("add install update lock publish search"),
  pdm: set("add install update lock publish"),
  gem: set("install update push fetch search"),
  bundle: set("install update add outdated"),
  composer: set("install update require create-project search outdated"),
  mix: set("deps.get deps.update hex.publish"),
  hg: set("pull push clone incoming outgoing"),
  svn: set("checkout co update up commit ci"),
  nix: set("run shell build develop flake profile copy")
}

/** Of package managers nearly all do; these do not. */
const PACKAGES = set("npm pnpm yarn bun")
const LOCAL =
  set(`run run-script rum urn test t tst start stop restart ls list ll la root prefix bin explain why pkg version
  config get set c help completion exec x`)
const VALUED = set("-C -c --git-dir --work-tree --namespace --prefix --cwd --dir")
const REMOTE = /^(?:remote (?:update|show|prune)|submodule (?:update|add)|archive .*--remote)/

export const reachesNetwork = (program: string, args: ReadonlyArray<string>): boolean => {
  const name = plainName(program)
  if (ALWAYS.has(name) || (name === "rsync" && args.some((word) => /^[\w.@-]+::?[^/]|^[\w.@-]+:|^rsync:/.test(word))))
    return true
  const rest = args.slice(skipOptions(args, 0, VALUED))
  const [first = ""] = rest
  if (/^(?:python|pypy)$/.test(name) && MODULES.test(args.slice(args.indexOf("-m") + 1).join(" ")))
    return args.includes("-m")
  if (name === "git" && REMOTE.test(rest.join(" "))) return true
  if (PACKAGES.has(name)) return first === "" ? name === "yarn" : !LOCAL.has(first)
  return Object.hasOwn(COMMANDS, name) && COMMANDS[name]!.has(first)
}
