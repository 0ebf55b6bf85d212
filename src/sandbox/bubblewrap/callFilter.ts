/**
 * System calls that namespaces do not cover, as a filter for the kernel (seccomp, classic BPF): sockets of AF_VSOCK reach the
 * machine that runs this one, with or without a network namespace, and io_uring would make them past every filter. Where
 * nothing but a watcher bounds a call's memory, also files without a name in memory, which it could not see.
 * Owns: the program, byte by byte. Invariants: the call fails with EAFNOSUPPORT or ENOSYS, as where the kernel has none;
 * a 32-bit program's `socketcall`, which cannot be looked into, fails alike.
 */
interface Table {
  readonly socket: number
  /** memfd_create and memfd_secret. */
  readonly unnamed: ReadonlyArray<number>
  /** `socketcall`, whose arguments lie in memory. */
  readonly blind?: number
}

interface Numbers {
  readonly audit: number
  readonly own: Table
  /** Of 32-bit programs on the same machine. */
  readonly other: Table
}

const SECRET_MEMORY = 447
const ARCHITECTURES: Partial<Record<NodeJS.Architecture, Numbers>> = {
  x64: {
    audit: 0xc000003e,
    own: { socket: 41, unnamed: [319, SECRET_MEMORY] },
    other: { socket: 359, unnamed: [356, SECRET_MEMORY], blind: 102 }
  },
  arm64: {
    audit: 0xc00000b7,
    own: { socket: 198, unnamed: [279, SECRET_MEMORY] },
    other: { socket: 281, unnamed: [385, SECRET_MEMORY] }
  }
}

const native = ARCHITECTURES[process.arch]
export const canFilter = native !== undefined

const [LOAD, EQUAL, AT_LEAST, RETURN] = [0x20, 0x15, 0x35, 0x06]
/** Offsets of `seccomp_data`; an argument's low half, for socket takes an int. */
const [NUMBER, ARCHITECTURE, FIRST_ARGUMENT] = [0, 4, 16]
const AF_VSOCK = 40
const IO_URING_SETUP = 425
/** The same numbers in another table (x32). */
const X32 = 0x40000000

const RESULTS = { allow: 0x7fff0000, noFamily: 0x00050000 + 97, noCall: 0x00050000 + 38 }
type Label = "other" | "family" | keyof typeof RESULTS
/** Where `to` is given, the jump when it holds (`ifNot`: when it does not); the next line else. */
interface Line {
  readonly at?: Label
  readonly code: number
  readonly value: number
  readonly to?: Label
  readonly ifNot?: Label
}

const load = (value: number): Line => ({ code: LOAD, value })
const equal = (value: number, to: Label): Line => ({ code: EQUAL, value, to })

const ofTable = ({ blind, socket, unnamed }: Table, isWatched: boolean): ReadonlyArray<Line> => [
  equal(IO_URING_SETUP, "noCall"),
  ...(isWatched ? unnamed.map((number) => equal(number, "noCall")) : []),
  ...(blind === undefined ? [] : [equal(blind, "noFamily")]),
  equal(socket, "family"),
  { code: RETURN, value: RESULTS.allow }
]

const program = ({ audit, other, own }: Numbers, isWatched: boolean): ReadonlyArray<Line> => [
  load(ARCHITECTURE),
  { code: EQUAL, value: audit, ifNot: "other" },
  load(NUMBER),
  { code: AT_LEAST, value: X32, to: "noCall" },
  ...ofTable(own, isWatched),
  { ...load(NUMBER), at: "other" },
  ...ofTable(other, isWatched),
  { ...load(FIRST_ARGUMENT), at: "family" },
  equal(AF_VSOCK, "noFamily"),
  ...(["allow", "noFamily", "noCall"] as const).map((at): Line => ({ at, code: RETURN, value: RESULTS[at] }))
]

/** As bubblewrap's `--seccomp` reads it: `struct sock_filter`, in this machine's order of bytes (little on both). */
export const callFilter = (isWatched: boolean): Buffer => {
  const all = native === undefined ? [] : program(native, isWatched)
  const bytes = Buffer.alloc(all.length * 8)
  for (const [i, { code, ifNot, to, value }] of all.entries()) {
    // Jumps count from the next line.
    const jump = (label: Label | undefined) =>
      label === undefined ? 0 : all.findIndex(({ at }) => at === label) - i - 1
    bytes.writeUInt16LE(code, i * 8)
    bytes.writeUInt8(jump(to), i * 8 + 2)
    bytes.writeUInt8(jump(ifNot), i * 8 + 3)
    bytes.writeUInt32LE(value, i * 8 + 4)
  }
  return bytes
}
