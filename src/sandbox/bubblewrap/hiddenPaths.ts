/**
 * What no command has a reason to read: keys, passwords, credentials, browsers' and claw's own directories (T6).
 * Owns: which of them are there, and the sockets. Does not own: the list (SecretPlaces). Invariant: what is returned is
 * free of links, so that a link in front of a secret hides nothing less.
 */
import { realpathSync, statSync } from "node:fs"
import { isAbsolute, join } from "node:path"
import { usualSecrets } from "../../config/SecretPlaces.ts"

export interface Hidden {
  readonly path: string
  readonly directory: boolean
}

const words = (text: string): ReadonlyArray<string> => text.trim().split(/\s+/)

/** Whoever reaches one of them is root, or somebody else; they stay closed whatever is opened around them. */
const SOCKETS_OF_HOME = words(`
  .docker/run/docker.sock .docker/desktop/docker.sock .colima/default/docker.sock .colima/docker.sock
  .orbstack/run/docker.sock .rd/docker.sock .lima/docker/sock/docker.sock .local/share/containers/podman/machine/podman.sock`)
const SOCKETS_OF_MACHINE = words(`
  /run/docker.sock /var/run/docker.sock /run/podman/podman.sock /run/containerd/containerd.sock /run/crio/crio.sock
  /run/k3s/containerd/containerd.sock /run/buildkit/buildkitd.sock /run/dbus/system_bus_socket /run/systemd/private`)

/** Most are not there: an exception for each would be most of what a call costs here. */
const lookAt = (path: string): ReadonlyArray<Hidden> => {
  try {
    if (statSync(path, { throwIfNoEntry: false }) === undefined) return []
    const real = realpathSync.native(path)
    return [{ path: real, directory: statSync(real).isDirectory() }]
  } catch {
    return []
  }
}

const below = (home: string | undefined, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  home !== undefined && isAbsolute(home) && home !== "/" ? names.map((name) => join(home, name)) : []

/** `own`: claw's directories and files, and where variables moved secrets to. Those that exist now. */
export const hiddenPaths = (home: string | undefined, own: ReadonlyArray<string>): ReadonlyArray<Hidden> =>
  [...usualSecrets(home), ...own].flatMap(lookAt)

export const controlSockets = (home: string | undefined): ReadonlyArray<string> =>
  [...below(home, SOCKETS_OF_HOME), ...SOCKETS_OF_MACHINE].flatMap(lookAt).map(({ path }) => path)
