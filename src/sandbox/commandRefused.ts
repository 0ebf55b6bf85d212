/**
 * Commands that no person should be asked about: other users' rights, the end of the machine, the loss of a home or a
 * disk, the credentials of a cloud host (SECURITY P4, corpus `destructive`, `exfil`). Invariant: it judges programs and
 * their targets, never words that only mention them.
 */
import { isIP } from "node:net"
import { holdsWorkspace, isSink, type Paths } from "./commandPaths.ts"

const names = (text: string): ReadonlySet<string> => new Set(text.split(" "))

const RIGHTS = names("sudo sudoedit su doas pkexec runuser run0 gosu su-exec sg newgrp super calife dzdo please")
const MACHINE = names("shutdown reboot halt poweroff init telinit kexec")
const DISKS =
  /^(?:mkfs(?:\..+)?|mke2fs|mkswap|wipefs|fdisk|sfdisk|cfdisk|gdisk|sgdisk|parted|blkdiscard|hdparm|cryptsetup|badblocks)$/
const SYSTEMCTL = names("poweroff reboot halt kexec rescue emergency suspend hibernate soft-reboot")
const NETWORK = names(
  "curl wget wget2 aria2c http https xh nc ncat netcat socat telnet lynx w3m links elinks ftp lftp ssh openssl"
)
const METADATA = names("metadata.google.internal metadata.goog metadata.azure.internal")

const isMetadata = (host: string): boolean => {
  const bare = host
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "")
    .toLowerCase()
  if (METADATA.has(bare)) return true
  if (isIP(bare) === 4) return bare.startsWith("169.254.") || bare === "100.100.100.200" || bare === "192.0.0.192"
  return /^(?:fe80:|fd00:ec2:|::ffff:a9fe:)/.test(bare)
}

/** As a client reads it: `http://2852039166/` and `0xA9FEA9FE` are the same host. */
const hostOf = (word: string): string | undefined => {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(word) ? word.replace(/^[a-z][a-z0-9+.-]*/i, "http") : `http://${word}`
  return URL.canParse(text) ? new URL(text).hostname : undefined
}

const reachesMetadata = (args: ReadonlyArray<string>): boolean =>
  args.some((word) => {
    if (word.startsWith("-") && !word.includes("=")) return false
    const host = hostOf(word.startsWith("-") ? word.slice(word.indexOf("=") + 1) : word)
    return host !== undefined && isMetadata(host)
  })

/** `/`, a directory directly below it, the home directory or what holds it, what holds the workspace or `rm`'s itself. */
const isPrecious = (word: string, paths: Paths, itself = false): boolean => {
  const stripped = word.replace(word.endsWith("}") ? /(?<!\/)\/+\{.*\}$/s : /(?<!\/)\/+(?:\.?\*|\.)?$/, "")
  if (stripped === "" && word !== "") return true
  // Another user's home, or the directory that the shell is in.
  if (/^~[^/]+$/.test(stripped)) return true
  const { path } = paths.place(stripped)
  if (path === "/" || paths.home === path || paths.home.startsWith(`${path}/`)) return true
  if (holdsWorkspace(paths, path)) return itself || path !== paths.workspace
  return /^\/[^/]+$/.test(path) && path !== "/tmp"
}

const recursive = (args: ReadonlyArray<string>): boolean =>
  args.some((word) => /^-[A-Za-z]*[rR]/.test(word) || (word.length > 3 && "--recursive".startsWith(word)))

const DEVICE = /^\/dev\/(?!fd\/|shm\/|pts\/|tty$|ptmx$|u?random$)/
export const isDevice = (path: string): boolean => DEVICE.test(path) && !isSink(path)

const destroys = (name: string, args: ReadonlyArray<string>, paths: Paths): string | undefined => {
  const targets = args.filter((word) => !word.startsWith("-"))
  if (["rm", "chmod", "chown", "chgrp", "shred"].includes(name) && recursive(args)) {
    const lost = targets.find((word) => isPrecious(word, paths, name === "rm"))
    if (lost !== undefined) return `${name} would change all of ${lost}`
  }
  if (name === "find" && args.includes("-delete")) {
    const lost = targets.find((word) => /^[/~]/.test(word) && isPrecious(word, paths))
    if (lost !== undefined) return `find would delete all of ${lost}`
  }
  if (name === "dd" || name === "tee" || name === "cp" || name === "mv" || name === "shred") {
    const raw = name === "dd" ? args.filter((word) => word.startsWith("of=")).map((word) => word.slice(3)) : targets
    const device = (name === "cp" ? raw.slice(-1) : raw).find(isDevice)
    if (device !== undefined) return `${name} would write to the device ${device}`
  }
  return undefined
}

/** Why this command is refused; undefined: it is not. */
export const refusalOf = (name: string, args: ReadonlyArray<string>, paths: Paths): string | undefined => {
  if (RIGHTS.has(name)) return `${name} takes other rights`
  if (MACHINE.has(name)) return `${name} stops the machine`
  if (DISKS.test(name)) return `${name} changes a disk`
  if (name === "systemctl" && args.some((word) => SYSTEMCTL.has(word))) return "systemctl would stop the machine"
  if (NETWORK.has(name) && reachesMetadata(args)) return `${name} would reach a host's metadata or a link-local address`
  return destroys(name, args, paths)
}
