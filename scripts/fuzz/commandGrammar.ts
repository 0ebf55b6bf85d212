/**
 * Bash lines and grants out of a seed, for `npm run fuzz:commands`. Owns: the grammar. It leans towards what a gate may
 * allow, and mixes in whatever has ever hidden a program or a write: options, quotes, expansions, redirects, wrappers.
 */
import { randomOf } from "../seeded.ts"

export interface FuzzGrant {
  /** `reads`: every command that only looks, whatever `argv` is. */
  readonly kind: "grant" | "rule" | "reads"
  readonly argv: ReadonlyArray<string>
}

export interface FuzzCase {
  readonly line: string
  readonly grants: ReadonlyArray<FuzzGrant>
}

const FILES = [
  "README.md",
  "src/a.ts",
  "src/b.ts",
  "docs/x.md",
  "data.txt",
  "'two words.txt'",
  ".gitignore",
  "src",
  "docs",
  "new.txt",
  "src/new/deep.txt"
]
const ODD = [
  "-",
  "--",
  "../outside.txt",
  "/etc/hostname",
  "link/passwd",
  "~",
  "$HOME",
  "*.md",
  "src/*",
  "{README.md,data.txt}",
  "$(cat data.txt)",
  "`id`",
  ".git/config",
  ".git/hooks/pre-commit",
  "package.json",
  "-o",
  "pwned",
  "$'pw\\x6eed'",
  '"$PATH"',
  "<(id)",
  "''",
  "a=b",
  "[a]",
  "!",
  "é",
  "{,touch}",
  "$'pwn\\\ned'",
  "$'a\\qb'",
  "-*",
  "--*",
  "-[a-z]*",
  "pack*.json",
  ".gi?/config",
  "{-o,pwned}"
]

/** Program → options worth trying; the second list can start programs or write files somewhere else. */
const PROGRAMS: Readonly<Record<string, readonly [plain: string, risky: string]>> = {
  cat: ["-n -A", "--output=x"],
  head: ["-1 -c5", "--lines=2"],
  tail: ["-1 -n2", "--pid=1"],
  wc: ["-l -c", "--files0-from=-"],
  grep: ["-n -r -i foo -e", "-f --include=*"],
  sort: ["-r -u -n", "-o -opwned --output=pwned --compress-program=./evil.sh -T. -S1k"],
  uniq: ["-c -d", "README.md"],
  cut: ["-c1 -f1", "--output-delimiter=x"],
  tr: ["a b", "-d"],
  ls: ["-la -R", "--hyperlink"],
  echo: ["-n -e hello", "-E"],
  printf: ["%s hello", "-v x"],
  find: [". -name -type f", "-exec -delete -fprint pwned -execdir ./evil.sh ; -ok"],
  git: [
    "status log diff show -1 --stat branch add commit -m x -- HEAD",
    "-c core.pager=./evil.sh -p --output=pwned --ext-diff grep -O./evil.sh config stash checkout clean -fd"
  ],
  touch: ["-c", "-r README.md"],
  mkdir: ["-p", "-m 777"],
  rm: ["-f -r", "-rf"],
  cp: ["-r", "-t src -b"],
  mv: ["-f", "-t src -b"],
  tee: ["-a", "-p"],
  sed: ["-n 1p s/a/b/", "-i 1e w -f"],
  awk: ["{print}", 'BEGIN{system("touch pwned")} -f'],
  diff: ["-u", "--to-file=x"],
  test: ["-f -e", "-v"],
  true: ["", ""],
  stat: ["-c %n", "-f"],
  file: ["-b", "-C -m"],
  du: ["-s", "--files0-from=- -L"],
  install: ["-D -m 644", "-s --strip-program=./evil.sh --strip-prog=./evil.sh -t src -b"],
  ln: ["-s", "-t src -b -f"],
  split: ["-l1 -b2", "--filter=./evil.sh --filt=./evil.sh --additional-suffix=pwned"],
  csplit: ["-s -f part- 1", "--prefix=pwned --suppress-matched"],
  truncate: ["-s0 -c", "-r README.md"],
  dd: ["status=none count=1", "if=README.md of=pwned of=src/a.ts"],
  chmod: ["u+w +x", "-R --reference=README.md"],
  unlink: ["", ""],
  rmdir: ["", "-p"],
  shuf: ["-n1 -e", "-o -opwned --outp=pwned --random-source=README.md"],
  xxd: ["-l4 -p", "-r README.md pwned"],
  tac: ["", "-s x"],
  nl: ["-ba", "-d x"],
  paste: ["-d,", "-s"],
  comm: ["-12", "--output-delimiter=x"],
  cmp: ["-s", "-l"],
  od: ["-c", "--width=4"],
  fold: ["-w4", "-s"],
  expand: ["-t4", "-i"],
  realpath: ["", "--relative-to=src"],
  readlink: ["-f", "-e"],
  date: ["+%F -u", "-f README.md -r README.md 010100002020"],
  seq: ["3", "-f %g"],
  jq: [". -r", "-f evil.sh --rawfile a README.md"],
  md5sum: ["", "-c --check"],
  base64: ["", "-d -w0"],
  tsort: ["", ""],
  numfmt: ["--to=si 5", "--field=1"],
  basename: ["", "-a"],
  xargs: ["touch", "-I{} ./evil.sh"],
  env: ["touch pwned", "-i ./evil.sh"],
  sh: ["-c 'touch pwned'", "evil.sh"],
  "./evil.sh": ["", ""],
  timeout: ["1 touch pwned", "1 ./evil.sh"]
}

const NAMES = Object.keys(PROGRAMS)
/** What people grant. */
const GRANTED = NAMES.filter((name) => !["xargs", "env", "sh", "./evil.sh", "timeout"].includes(name))
const BETWEEN = [" && ", "; ", " | ", " || ", " |& ", " & ", "\n", " ;; ", " \\\n&& "]
const BEHIND = [
  " 2>&1",
  " >/dev/null",
  " </dev/null",
  " > pwned",
  " >> src/a.ts",
  " 2> err.log",
  " &> pwned",
  " <<< hi",
  " <<'E'\nx\nE\n",
  " <<E\n$(touch pwned)\nE\n",
  " < README.md",
  " >&2",
  " >| pwned",
  " <> pwned",
  " <&-touch pwned",
  " 3<&-./evil.sh",
  " <& -touch",
  " {fd}<&-touch",
  " 2>&-",
  " >& -x",
  " >&1x"
]
const AROUND: ReadonlyArray<readonly [string, string]> = [
  ["(", ")"],
  ["{ ", "; }"],
  ["! ", ""],
  ["X=1 ", ""],
  ["PATH=.:$PATH ", ""],
  ["if true; then ", "; fi"],
  ["command ", ""],
  ["time ", ""],
  ["\\", ""],
  ["for i in 1; do ", "; done"],
  ["eval '", "'"],
  ["f() { ", "; }; f"]
]

type Pick = <A>(list: ReadonlyArray<A>) => A

const LOOKS = [
  "wc -l",
  "cat",
  "grep -n a",
  "head -n 1",
  "ls -l",
  "stat",
  "wc",
  "cat -- -x",
  "sort",
  "touch",
  "grep -f",
  "rm"
]
const FIND = ["-type f", "-name '*.md'", "-print0", "-printf '/etc/hostname\\n'", "-maxdepth 1", "-L", "-ls", ""]
const XARGS = ["", "-r", "-0", "-n1", "-n 2", "-P2", "-I{}", "-t", "-a data.txt"]
/** Of a text between the ends of a here-document. */
const PROSE = [
  ..."'\"()`$\\#@ \n;&|",
  "EOF",
  "it",
  "touch pwned",
  "$(touch pwned)",
  "fix: (x)",
  "'a'",
  '"b"',
  '\n)"; touch pwned; "'
]
const MARKS = ["'EOF'", "EOF", '"EOF"', "'E'OF", "\\EOF"]

/** Lines that are no wrapper and no expansion after all, and what resembles them. */
const shaped = (pick: Pick, chance: (share: number) => boolean): string => {
  const several = (from: ReadonlyArray<string>, most: number) =>
    Array.from({ length: most }, () => (chance(0.6) ? pick(from) : "")).join(pick(["", " "]))
  if (chance(0.45)) {
    const found = ["find", pick([".", "src", "docs", "link", "/etc", "*", ""]), several(FIND, 2)].join(" ")
    return `${found}${pick([" | ", " |& ", "; ", " | sort | "])}xargs ${chance(0.5) ? pick(XARGS) : several(XARGS, 2)} ${pick(LOOKS)}${pick(["", " | sort", " < data.txt"])}`
  }
  if (chance(0.3))
    return `${pick(["cat", "ls", "wc", "uniq", "sort"])} ${pick(["*.md", "*.ts", "*", "*.txt *"])}${pick(["", "; ls", "; touch -- -x.md"])}`
  const text = chance(0.5) ? `${pick(["fix: a", "it's b, isn't it", "(c) d"])}${pick(PROSE)}` : several(PROSE, 6)
  const mark = chance(0.7) ? "'EOF'" : pick(MARKS)
  return `git commit --allow-empty -m ${chance(0.9) ? '"' : ""}$(cat <<${mark}\n${text}\nEOF\n)"${pick(["", " && git status"])}`
}

export const caseOf = (seed: number, nth: number): FuzzCase => {
  const random = randomOf(Math.imul(seed, 1_000_003) + nth)
  const pick = <A>(list: ReadonlyArray<A>): A => list[Math.floor(random() * list.length)]!
  const chance = (share: number) => random() < share
  if (chance(0.1)) {
    const kinds = [
      { kind: "reads", argv: [] },
      { kind: "grant", argv: ["git", "commit"] }
    ] as const
    return { line: shaped(pick, chance), grants: kinds }
  }
  const quoted = (word: string) =>
    chance(0.06) ? `"${word}"` : chance(0.03) ? `${word.slice(0, 1)}''${word.slice(1)}` : word

  const simple = (name: string): string => {
    const [plain, risky] = PROGRAMS[name] ?? ["", ""]
    const words: Array<string> = []
    if (name === "git") words.push(pick("status log diff show branch add commit".split(" ")))
    for (let count = Math.floor(random() * 4); count > 0; count -= 1) {
      const kind = random()
      const from = kind < 0.35 ? plain.split(" ") : kind < 0.42 ? risky.split(" ") : kind < 0.9 ? FILES : ODD
      words.push(quoted(pick(from)))
    }
    const behind = chance(0.12) ? pick(BEHIND) : ""
    const text = `${quoted(name)} ${words.join(" ")}${behind}`
    const [before, after] = chance(0.06) ? pick(AROUND) : ["", ""]
    return `${before}${text.trimEnd()}${after}`
  }

  const used = Array.from({ length: 1 + Math.floor(random() * 3) }, () => (chance(0.93) ? pick(GRANTED) : pick(NAMES)))
  const line = used.map(simple).reduce((all, next) => `${all}${pick(BETWEEN)}${next}`)
  const grants = [...used, pick(GRANTED)].flatMap((name): ReadonlyArray<FuzzGrant> => {
    if (chance(0.1)) return []
    const argv = name === "git" ? [name, pick("status log diff show branch add commit".split(" "))] : [name]
    return [{ kind: chance(0.7) ? "grant" : "rule", argv }]
  })
  return { line, grants }
}
