/**
 * Where keys, passwords and credentials lie (SECURITY T6). Owns: the one list for everything that keeps them: the view of
 * the sandbox, the file tools, the analysis of commands. Pure; does not own: what becomes of such a place (sandbox, tools).
 * Invariant: where a variable moves a program's home, both the usual place and the moved one count.
 */
import { isAbsolute, join, normalize } from "node:path"
import type { Environment } from "./environment.ts"

const words = (text: string): ReadonlyArray<string> => text.trim().split(/\s+/)

const OF_HOME = words(`
  .ssh .gnupg .pki .password-store .age .config/age .config/sops .local/share/keyrings .local/share/kwalletd .kde/share/apps/kwallet
  .aws .azure .config/gcloud .config/doctl .config/hcloud .config/scaleway .config/linode-cli .oci .bluemix .s3cfg .boto
  .config/rclone .kube .docker .config/containers/auth.json .config/helm/registry .terraform.d/credentials.tfrc.json .vault-token
  .fly .config/netlify .netlify .config/vercel .vercel .heroku .config/heroku .config/cloudflared .cloudflared .wrangler
  .config/.wrangler .config/pulumi .pulumi/credentials.json .config/stripe .config/op .op .config/1Password .config/Bitwarden
  .netrc _netrc .authinfo .authinfo.gpg .git-credentials .config/git/credentials .config/gh .config/hub .config/glab-cli
  .config/github-copilot .npmrc .yarnrc.yml .pypirc .config/pip/pip.conf .pip/pip.conf .gem/credentials .bundle/config
  .cargo/credentials .cargo/credentials.toml .composer/auth.json .config/composer/auth.json .m2/settings.xml
  .m2/settings-security.xml .gradle/gradle.properties .nuget/NuGet .config/NuGet .hex .pgpass .my.cnf .mylogin.cnf .dbshell
  .cache/huggingface/token .huggingface .config/anthropic .config/openai .claude .claude.json .codex .gemini .config/goose
  .config/claude .local/share/opencode .mozilla .thunderbird .config/google-chrome .config/chromium .config/BraveSoftware
  .config/microsoft-edge .config/vivaldi .config/Signal .config/Slack .config/discord .bitcoin .ethereum .electrum
  .config/solana .bash_history .zsh_history .local/share/fish/fish_history .python_history .node_repl_history .psql_history
  .mysql_history .rediscli_history .sqlite_history .lesshst .viminfo .Xauthority .ICEauthority .config/claw .local/state/claw`)

/** The variable in place of a directory of the home: what lies below that lies below this. */
const MOVED: Readonly<Record<string, string>> = {
  XDG_CONFIG_HOME: ".config",
  XDG_DATA_HOME: ".local/share",
  XDG_STATE_HOME: ".local/state",
  XDG_CACHE_HOME: ".cache",
  HF_HOME: ".cache/huggingface",
  CARGO_HOME: ".cargo",
  COMPOSER_HOME: ".composer",
  PULUMI_HOME: ".pulumi",
  GRADLE_USER_HOME: ".gradle",
  BUNDLE_USER_HOME: ".bundle"
}

/** What the variable names is a secret itself: a file, a directory, or several with colons between. */
const NAMED = words(`
  GNUPGHOME AWS_SHARED_CREDENTIALS_FILE AWS_CONFIG_FILE KUBECONFIG DOCKER_CONFIG NPM_CONFIG_USERCONFIG npm_config_userconfig
  NETRC PIP_CONFIG_FILE CLOUDSDK_CONFIG GOOGLE_APPLICATION_CREDENTIALS AZURE_CONFIG_DIR GH_CONFIG_DIR GLAB_CONFIG_DIR
  PGPASSFILE MYSQL_TEST_LOGIN_FILE SOPS_AGE_KEY_FILE PASSWORD_STORE_DIR TF_CLI_CONFIG_FILE RCLONE_CONFIG BOTO_CONFIG
  AWS_WEB_IDENTITY_TOKEN_FILE REGISTRY_AUTH_FILE CLAUDE_CONFIG_DIR CODEX_HOME HISTFILE XAUTHORITY ICEAUTHORITY`)

/** Matters where claw runs as root. */
const OF_MACHINE = words(`
  /etc/shadow /etc/shadow- /etc/gshadow /etc/gshadow- /etc/ssl/private /etc/letsencrypt /etc/kubernetes /etc/krb5.keytab
  /etc/wireguard /etc/NetworkManager/system-connections /etc/docker /var/lib/docker /var/lib/kubelet /var/lib/containerd
  /var/lib/private /etc/ssh/ssh_host_rsa_key /etc/ssh/ssh_host_ecdsa_key /etc/ssh/ssh_host_ed25519_key`)

const isPlace = (path: string | undefined): path is string =>
  path !== undefined && isAbsolute(path) && !/^\/(?:dev|proc|sys)?(?:\/|$)/.test(normalize(path))

/** Without the moved ones; nothing where there is no home. */
export const usualSecrets = (home: string | undefined): ReadonlyArray<string> => [
  ...(isPlace(home) ? OF_HOME.map((name) => join(home, name)) : []),
  ...OF_MACHINE
]

/** What the variables of an environment move elsewhere. */
export const movedSecrets = (env: Environment): ReadonlyArray<string> => {
  const moved = Object.entries(MOVED).flatMap(([name, usual]) => {
    const home = env[name]
    if (!isPlace(home)) return []
    const below = OF_HOME.filter((place) => place.startsWith(`${usual}/`))
    return below.map((place) => join(home, place.slice(usual.length + 1)))
  })
  // Whoever names the home itself (or what holds it) has moved nothing.
  const holdsHome = (path: string) => `${env["HOME"] ?? ""}/`.startsWith(`${path.replace(/(?<!\/)\/+$/, "")}/`)
  const named = NAMED.flatMap((name) => (env[name] ?? "").split(":")).filter(isPlace)
  return [...moved, ...named.filter((path) => !holdsHome(path))]
}

const ENV_FILE =
  /^\.{1,2}env(?:rc)?(?:[.~_-].*)?$|^\.(?:flaskenv|dev\.vars)(?:[.~].*)?$|^(?!(?:example|sample|template|dist|defaults?)s?\b)[\w-][\w.-]{0,100}\.env~?$/i
const EXAMPLE = /[._-](?:example|sample|template|tmpl|dist|defaults?)$/i
/** A program, not a file of settings. */
const PROGRAM = /\.[cm]?[jt]sx?$/i

/** `.env` and its kin, wherever they lie; those that show a form without its values are none. */
export const isEnvironmentFile = (name: string): boolean =>
  ENV_FILE.test(name) && !EXAMPLE.test(name) && !PROGRAM.test(name)

const CREDENTIALS = new Set(
  words(`.netrc _netrc .git-credentials .pypirc .pgpass .authinfo .vault-token .my.cnf .mylogin.cnf .htpasswd .s3cfg .boto
    kubeconfig master.key credentials.json client_secret.json`)
)
/** Keys by the usual names, and stores of them, with what an editor leaves beside them. */
const KEYS =
  /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?(?:[._-](?!pub$).*)?$|\.(?:p12|pfx|p8|jks|jceks|keystore|kdbx?|ppk|tfstate|tfstate\.backup|tfvars|tfvars\.json)~?$|^service[-_]?account[\w.-]*\.json$/i
/** By where they lie: a home that was copied, or one that a container mounts. */
const BELOW =
  /(?:^|\/)(?:\.ssh\/(?!(?:config|known_hosts|authorized_keys|allowed_signers|[^/]*\.pub)$).|\.(?:aws|gnupg|kube|azure|gcloud)\/.|\.docker\/config\.json$|\.cargo\/credentials(?:\.toml)?$|\.gem\/credentials$|\.git\/credentials$|\.config\/(?:gh|glab-cli)\/(?:hosts|config)\.yml$|\.streamlit\/secrets\.toml$|\.m2\/settings\.xml$)/i

/** A file of credentials and nothing else, wherever it lies. */
export const isCredentialsFile = (path: string): boolean => {
  const name = path.slice(path.lastIndexOf("/") + 1)
  return CREDENTIALS.has(name.toLowerCase()) || (KEYS.test(name) && !EXAMPLE.test(name)) || BELOW.test(path)
}

/** Settings, which may hold a credential: a token of a registry that is no `${VARIABLE}`. */
const SETTINGS: Readonly<Record<string, RegExp>> = {
  ".npmrc": /^[^#;\n\r\u2028\u2029]*(?:_auth(?:Token)?|_password)\s*=\s*(?!\s|["']?\s*["']?\$\{)["']?[^\s"']/im,
  ".yarnrc.yml": /^[^#\n\r\u2028\u2029]*npmAuth(?:Token|Ident)["']?\s*:\s*(?!\s|["']?\s*["']?\$\{)["']?[^\s"']/m,
  ".yarnrc": /^[^#\n\r\u2028\u2029]*(?:_auth(?:Token)?|_password)["']?\s+(?!["']?\$\{)["']?[^\s"']/im
}

/** Whatever begins so and holds nothing else is meant to be known: certificates, public keys. */
const KNOWN = /^-----BEGIN (?:[A-Z0-9 ]* )?(?:CERTIFICATE|PUBLIC KEY|CERTIFICATE REQUEST|X509 CRL|DH PARAMETERS)-----/m
const holdsKey = (text: string): boolean => text.trim() !== "" && (/PRIVATE/.test(text) || !KNOWN.test(text))

const LOGIN = /"(?:[\w-]*(?:token|oauth|password|secret|api[-_]?key)[\w-]*|http-basic|bearer|auth)"\s*:\s*[{"]/i

/** Whether a file of this name holds a credential; `text` reads it, where that must be known. */
export const holdsCredential = (name: string, text: () => string): boolean => {
  if (/\.(?:pem|key)~?$/i.test(name)) return holdsKey(text())
  if (name === "auth.json") return LOGIN.test(text())
  return Object.hasOwn(SETTINGS, name) && SETTINGS[name]!.test(text())
}
