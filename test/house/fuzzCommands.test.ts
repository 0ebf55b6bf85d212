/** The judge of `npm run fuzz:commands`: what a trace says, and what a verdict covers (SECURITY P2, P10, P11). */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { caseOf } from "../../scripts/fuzz/commandGrammar.ts"
import { faultOf } from "../../scripts/fuzz/commandOracle.ts"
import { readTrace } from "../../scripts/fuzz/commandTrace.ts"
import { analyse } from "../../src/sandbox/CommandAnalysis.ts"

const hex = (text: string) =>
  Array.from(Buffer.from(text), (byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("")

/** A trace of one line: the driver, the shell in its process, one child that becomes a program. */
const traced = (line: string, argv: ReadonlyArray<string>, calls: (text: typeof hex) => ReadonlyArray<string>) => {
  const words = argv.map((word) => `"${hex(word)}"`).join(", ")
  const traces = Object.entries({
    "1": "clone(child_stack=NULL, flags=SIGCHLD) = 2\n",
    "2": `execve("${hex("/usr/bin/bash")}", ["${hex("bash")}", "${hex("-c")}", "${hex(line)}"], 0x1 /* 3 vars */) = 0\nvfork() = 3\n`,
    "3": `execve("${hex("/none/x")}", [${words}], 0x1) = -1 ENOENT (No such file or directory)\nexecve("${hex("/usr/bin/x")}", [${words}], 0x1 /* 3 vars */) = 0\n${calls(hex).join("\n")}\n`
  })
  const plan = analyse(line, { workspace: "/ws", home: "/home/someone" })
  return faultOf(readTrace(traces, ["/run/0"])[0] ?? [], { plan, workspace: "/ws", cwd: "/run/0" }, line)
}

const open = (path: string, flags: string) => (text: typeof hex) => [
  `openat(AT_FDCWD<${text("/run/0")}>, "${text(path)}", ${flags}, 0666) = 3<${text(join("/run/0", path))}>`
]

const rows: ReadonlyArray<
  readonly [string, string, ReadonlyArray<string>, (text: typeof hex) => ReadonlyArray<string>, string | undefined]
> = [
  ["a named program that reads", "cat a", ["cat", "a"], open("b", "O_RDONLY"), undefined],
  ["a program that was not named", "cat a", ["id"], () => [], 'started ["id"] (/usr/bin/x)'],
  ["other words than were judged", "cat a", ["cat", "b"], () => [], 'started ["cat","b"] (/usr/bin/x)'],
  ["what a glob became", "cat *.md", ["cat", "a.md", "b.md"], () => [], undefined],
  ["a file that the command names", "touch a", ["touch", "a"], open("a", "O_WRONLY|O_CREAT"), undefined],
  ["a file that it does not name", "touch a", ["touch", "a"], open("b", "O_WRONLY|O_CREAT"), "touch a wrote /run/0/b"],
  ["a file beside the workspace", "touch a", ["touch", "a"], open("../x", "O_WRONLY"), "touch a wrote /run/x"],
  ["the null device", "cat a", ["cat", "a"], open("/dev/null", "O_WRONLY"), undefined],
  [
    "a directory that was entered first",
    "mkdir -p d/e",
    ["mkdir", "-p", "d/e"],
    (text) => [`chdir("${text("d")}") = 0`, `mkdir("${text("e")}", 0777) = 0`],
    undefined
  ],
  [
    "a call that failed",
    "touch a",
    ["touch", "a"],
    (text) => [`unlink("${text("b")}") = -1 ENOENT (No such file or directory)`],
    undefined
  ],
  [
    "a connection",
    "cat a",
    ["cat", "a"],
    () => ["connect(3<x>, {sa_family=AF_INET, sin_port=htons(80)}, 16) = 0"],
    "cat opened a connection"
  ],
  ["git's own records", "git status", ["git", "status"], open(".git/index.lock", "O_RDWR|O_CREAT"), undefined],
  [
    "git's configuration",
    "git status",
    ["git", "status"],
    open(".git/config.lock", "O_RDWR|O_CREAT"),
    "git status wrote /run/0/.git/config.lock"
  ]
]

describe("the fuzz of commands", () => {
  it.each(rows)("%s", (_, line, argv, calls, expected) => {
    assert.strictEqual(traced(line, argv, calls), expected)
  })

  it("makes the same line of the same seed and number", () => {
    assert.deepStrictEqual(caseOf(3, 5), caseOf(3, 5))
    assert.isAbove(new Set(Array.from({ length: 200 }, (_, nth) => caseOf(3, nth).line)).size, 190)
  })
})
