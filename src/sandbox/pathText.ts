/**
 * What can be said of a path from its text alone, before the file system is asked.
 * Owns: refusals of forms that are no plain path (URL, NUL, over-long, backslash parents, home shorthand, kernel
 * aliases, names a person cannot see). Does not own: where a path leads (resolvePath).
 */
export const MAX_PATH_BYTES = 4096

const URL_FORM = /^[a-z][a-z0-9+.-]*:\/\/|^(?:file|data|javascript):/i
const DRIVE_FORM = /^[a-z]:[\\/]|^\\\\/i
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/
/** Zero-width, bidirectional and other marks that make two names look alike; joiners that scripts and emoji need stay. */
// oxlint-disable-next-line no-misleading-character-class -- single characters are taken out
const INVISIBLE = /[[\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]--[\u{200c}\u{200d}\u{fe0f}]]/v
const KERNEL_ALIAS = /^\/+(?:\.\/+)*(?:proc|sys|dev)(?:\/|$)/

/** Why this text is no path a tool may use; undefined: it may be resolved. */
export const refusePathText = (path: string): string | undefined => {
  if (path.trim() === "") return "is empty"
  if (path.includes("\u0000")) return "contains a NUL character"
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return `is longer than ${MAX_PATH_BYTES} bytes`
  if (!path.isWellFormed()) return "is not valid Unicode"
  if (URL_FORM.test(path)) return "is a URL, not a path"
  if (DRIVE_FORM.test(path)) return "is a Windows path"
  if (path.split(/[\\/]/).includes("..") && path.includes("\\")) return "has a parent step written with a backslash"
  if (CONTROL.test(path)) return "contains control characters"
  if (INVISIBLE.test(path)) return "contains invisible characters"
  if (path === "~" || path.startsWith("~/")) return "starts with ~, which is not expanded here"
  return undefined
}

/** `/proc`, `/sys` and `/dev` are views of the kernel: what they name depends on who asks. */
export const isKernelAlias = (absolute: string): boolean => KERNEL_ALIAS.test(absolute)

/** A path as it may be shown in a sentence: quoted, bounded, nothing invisible. */
export const shownPath = (path: string): string => {
  const short = path.length > 200 ? `${path.slice(0, 200)}…` : path
  const escape = (text: string) => `\\u${text.charCodeAt(0).toString(16).padStart(4, "0")}`
  const visible = JSON.stringify(short.toWellFormed()).replace(new RegExp(INVISIBLE, "gv"), escape)
  return visible.replace(/[\u007f-\u009f]/g, escape)
}
