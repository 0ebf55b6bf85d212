/**
 * One program with commands of its own (SECURITY P5, P8). Owns: the shape of its row, and how a row is written. Pure. Does
 * not own: the rows (commandLevelRows, commandServiceRows). Invariant: what a row does not name is granted word for word.
 */
export const set = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** `each("image", "ls rm")` is `image ls` and `image rm`. */
export const each = (group: string, commands: string): ReadonlyArray<string> =>
  commands.split(" ").map((one) => `${group} ${one}`)

/** A line each. */
export const lines = (text: string): ReadonlyArray<string> => text.split(/\n\s*/)

export interface Level {
  readonly programs: ReadonlySet<string>
  /** These have commands of their own: `image ls`. */
  readonly deep?: ReadonlySet<string>
  readonly looks: ReadonlySet<string>
  /** They do what a file says whose content the grant is bound to. */
  readonly follows?: ReadonlySet<string>
  /** Of those: with a name they bring along what nobody has looked at. */
  readonly installs?: ReadonlySet<string>
  /** A script of the manifest may stand in a command's place, unless it is one of these. */
  readonly own?: ReadonlySet<string>
  /** Words that make a command do more; `*`: every one of them. */
  readonly more?: Readonly<Record<string, RegExp>>
  readonly granted: ReadonlyArray<string>
  readonly exactly: ReadonlyArray<string>
}
