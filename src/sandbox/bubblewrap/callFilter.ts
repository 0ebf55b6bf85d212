/**
 * System calls that namespaces do not cover, as a filter for the kernel (seccomp, classic BPF): sockets of AF_VSOCK reach the
 * machine that runs this one, with or without a network namespace, and io_uring would make them past every filter.
 * Owns: the program, byte by byte. Invariants: the call fails with EAFNOSUPPORT or ENOSYS, as where the kernel has none;
 * a 32-bit program's `socketcall`, which cannot be looked into, fails alike.
 */
interface Numbers {
  readonly audit: number
  readonly socket: number
  /** Of 32-bit programs on the same machine. */
  readonly otherSocket: number
  /** `socketcall`, whose arguments lie in memory. */
  readonly blind: number
}

const NONE = 0xffffffff
const ARCHITECTURES: Partial<Record<NodeJS.Architecture, Numbers>> = {
  x64: { audit: 0xc000003e, socket: 41, otherSocket: 359, blind: 102 },
  arm64: { audit: 0xc00000b7, socket: 198, otherSocket: 281, blind: NONE }
}

const native = ARCHITECTURES[process.arch]
export const canFilter = native !== undefined

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number]
const [LOAD, EQUAL, AT_LEAST, RETURN] = [0x20, 0x15, 0x35, 0x06]
/** Offsets of `seccomp_data`; an argument's low half, for socket takes an int. */
const [NUMBER, ARCHITECTURE, FIRST_ARGUMENT] = [0, 4, 16]
const [ALLOW, NO_FAMILY, NO_CALL] = [0x7fff0000, 0x00050000 + 97, 0x00050000 + 38]
const AF_VSOCK = 40
const IO_URING_SETUP = 425
/** The same numbers in another table (x32). */
const X32 = 0x40000000

/** The jumps count from the next line. */
const program = ({ audit, blind, otherSocket, socket }: Numbers): ReadonlyArray<Instruction> => [
  [LOAD, 0, 0, ARCHITECTURE],
  [EQUAL, 0, 4, audit],
  [LOAD, 0, 0, NUMBER],
  [AT_LEAST, 11, 0, X32],
  [EQUAL, 10, 0, IO_URING_SETUP],
  [EQUAL, 5, 7, socket],
  [LOAD, 0, 0, NUMBER],
  [EQUAL, 7, 0, IO_URING_SETUP],
  [EQUAL, 2, 0, otherSocket],
  [EQUAL, 4, 0, blind],
  [RETURN, 0, 0, ALLOW],
  [LOAD, 0, 0, FIRST_ARGUMENT],
  [EQUAL, 1, 0, AF_VSOCK],
  [RETURN, 0, 0, ALLOW],
  [RETURN, 0, 0, NO_FAMILY],
  [RETURN, 0, 0, NO_CALL]
]

/** As bubblewrap's `--seccomp` reads it: `struct sock_filter`, in this machine's order of bytes (little on both). */
export const callFilter = (): Buffer => {
  const all = native === undefined ? [] : program(native)
  const bytes = Buffer.alloc(all.length * 8)
  for (const [i, [code, ifTrue, ifFalse, value]] of all.entries()) {
    bytes.writeUInt16LE(code, i * 8)
    bytes.writeUInt8(ifTrue, i * 8 + 2)
    bytes.writeUInt8(ifFalse, i * 8 + 3)
    bytes.writeUInt32LE(value, i * 8 + 4)
  }
  return bytes
}
