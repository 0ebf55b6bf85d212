/**
 * What really happened, read from `strace -ff -xx -y`: the programs that were started and the files that were written,
 * each with the command in whose process it happened. Owns: the reading of strace's lines.
 */
import { resolve } from "node:path"

export const TRACED =
  "execve,execveat,clone,clone3,fork,vfork,open,openat,openat2,creat,rename,renameat,renameat2,unlink,unlinkat,mkdir," +
  "chdir,fchdir,mkdirat,rmdir,link,linkat,symlink,symlinkat,truncate,chmod,fchmodat,mknod,mknodat,connect"

export interface Effect {
  /** The process's program: the words it was started with; of `exec` the new ones. */
  readonly argv: ReadonlyArray<string>
  /** Of `exec`: the words of the program that did it. */
  readonly by?: ReadonlyArray<string>
  readonly kind: "exec" | "write" | "connect"
  /** Of the program started, or the file written; absolute where it can be known. */
  readonly path: string
}

const unhex = (text: string): string =>
  Buffer.from(Array.from(text.matchAll(/\\x([0-9a-f]{2})/g), ([, byte]) => Number.parseInt(byte!, 16))).toString()

const strings = (text: string): ReadonlyArray<string> =>
  Array.from(text.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g), ([, one]) => unhex(one!))

/** The directory that a descriptor argument stands for, as `-y` shows it. */
const DIRECTORY = /(?:AT_FDCWD|\d+)<((?:\\x[0-9a-f]{2})*)>, "((?:\\x[0-9a-f]{2})*)"/g

const pathsOf = (args: string, cwd: string): ReadonlyArray<string> => {
  const at = Array.from(args.matchAll(DIRECTORY), ([, directory, path]) => resolve(unhex(directory!), unhex(path!)))
  return at.length > 0 ? at : strings(args).map((path) => resolve(cwd, path))
}

interface Step {
  readonly call: string
  readonly args: string
  readonly result: string
}

const LINE = /^(\w+)\((.*)\)\s+= (-?\d+|\?)(?:<.*>)?(?: .*)?$/

const stepsOf = (text: string): ReadonlyArray<Step> =>
  text.split("\n").flatMap((line) => {
    const found = LINE.exec(line)
    return found === null || found[3]!.startsWith("-") ? [] : [{ call: found[1]!, args: found[2]!, result: found[3]! }]
  })

const FORKS = new Set(["clone", "clone3", "fork", "vfork"])
const OPENS = new Set(["open", "openat", "openat2"])
const WRITES = /O_WRONLY|O_RDWR|O_CREAT|O_TRUNC/

const effectOf = ({ args, call }: Step, argv: ReadonlyArray<string>, cwd: string): ReadonlyArray<Effect> => {
  if (call === "connect") return /AF_INET/.test(args) ? [{ argv, kind: "connect", path: args }] : []
  if (OPENS.has(call) && !WRITES.test(args)) return []
  const paths = pathsOf(args, cwd)
  // The text of a symbolic link is no file of its own; the last path is the one that is made.
  const written = call.startsWith("symlink") ? paths.slice(-1) : paths
  return written.map((path) => ({ argv, kind: "write", path }))
}

/**
 * Effects of each command. `traces`: process id → its trace; one of them is the driver, whose n-th child ran the n-th
 * command in `cwds[n]`.
 */
export const readTrace = (
  traces: Iterable<readonly [string, string]>,
  cwds: ReadonlyArray<string>
): ReadonlyArray<ReadonlyArray<Effect>> => {
  const steps = new Map<string, ReadonlyArray<Step>>()
  for (const [pid, text] of traces) if (text.includes("(")) steps.set(pid, stepsOf(text))
  const childrenOf = (pid: string) =>
    (steps.get(pid) ?? []).flatMap(({ call, result }) => (FORKS.has(call) ? [result] : []))
  const children = new Set(Array.from(steps.keys()).flatMap(childrenOf))
  const driver = Array.from(steps.keys()).find((pid) => !children.has(pid))
  if (driver === undefined) return []
  return childrenOf(driver).map((root, nth) => {
    const effects: Array<Effect> = []
    const follow = (pid: string, inherited: ReadonlyArray<string>, from: string) => {
      let argv = inherited
      let cwd = from
      for (const step of steps.get(pid) ?? []) {
        if (FORKS.has(step.call)) follow(step.result, argv, cwd)
        else if (step.call.startsWith("execve")) {
          const [path = "", ...words] = strings(step.args)
          effects.push({ argv: words, by: argv, kind: "exec", path })
          argv = words
        } else if (step.call === "chdir") cwd = resolve(cwd, strings(step.args)[0] ?? ".")
        else if (step.call === "fchdir") cwd = unhex(/<(.*)>/.exec(step.args)?.[1] ?? "") || cwd
        else effects.push(...effectOf(step, argv, cwd))
      }
    }
    follow(root, [], cwds[nth] ?? "/")
    return effects
  })
}
