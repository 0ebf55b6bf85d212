/**
 * What no command has a reason to read: keys, passwords, credentials, browsers' and claw's own directories (T6).
 * Owns: the lists, and which of them are there. Invariant: what is returned is free of links, so that a link in front
 * of a secret hides nothing less.
 */
import { realpathSync, statSync } from "node:fs"
import { isAbsolute, join } from "node:path"

export interface Hidden {
  readonly path: string
  readonly directory: boolean
}

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

/** Matters where claw runs as root. */
const OF_MACHINE = words(`
  /etc/shadow /etc/shadow- /etc/gshadow /etc/gshadow- /etc/ssl/private /etc/letsencrypt /etc/kubernetes /etc/krb5.keytab
  /etc/wireguard /etc/NetworkManager/system-connections /etc/docker /var/lib/docker /var/lib/kubelet /var/lib/containerd
  /var/lib/private /etc/ssh/ssh_host_rsa_key /etc/ssh/ssh_host_ecdsa_key /etc/ssh/ssh_host_ed25519_key`)

/** Whoever reaches one of them is root, or somebody else; they stay closed whatever is opened around them. */
const SOCKETS_OF_HOME = words(`
  .docker/run/docker.sock .docker/desktop/docker.sock .colima/default/docker.sock .colima/docker.sock
  .orbstack/run/docker.sock .rd/docker.sock .lima/docker/sock/docker.sock .local/share/containers/podman/machine/podman.sock`)
const SOCKETS_OF_MACHINE = words(`
  /run/docker.sock /var/run/docker.sock /run/podman/podman.sock /run/containerd/containerd.sock /run/crio/crio.sock
  /run/k3s/containerd/containerd.sock /run/buildkit/buildkitd.sock /run/dbus/system_bus_socket /run/systemd/private`)

const lookAt = (path: string): ReadonlyArray<Hidden> => {
  try {
    const real = realpathSync.native(path)
    return [{ path: real, directory: statSync(real).isDirectory() }]
  } catch {
    return []
  }
}

const below = (home: string | undefined, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  home !== undefined && isAbsolute(home) && home !== "/" ? names.map((name) => join(home, name)) : []

/** `own`: claw's directories and files. Those that exist now. */
export const hiddenPaths = (home: string | undefined, own: ReadonlyArray<string>): ReadonlyArray<Hidden> =>
  [...below(home, OF_HOME), ...OF_MACHINE, ...own].flatMap(lookAt)

export const controlSockets = (home: string | undefined): ReadonlyArray<string> =>
  [...below(home, SOCKETS_OF_HOME), ...SOCKETS_OF_MACHINE].flatMap(lookAt).map(({ path }) => path)
