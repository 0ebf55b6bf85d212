/** What a rule denies, where variables, subscripts and further launchers carry it: also in mode `bypass` (P4, T2). */
import { assert, describe, it } from "@effect/vitest"
import type { Rule } from "../../src/approval/Rules.ts"
import { denyRule, judgeBash, makeWorkspace } from "../support/approvalCorpus.ts"

const judged = (command: string, rules: ReadonlyArray<Rule> = [denyRule(["rm"])]) => {
  const { path, remove } = makeWorkspace()
  try {
    return judgeBash({ command, workspace: path, rules, mode: "bypass" })
  } finally {
    remove()
  }
}

const DENIED = `a=rm; $a k1
a=r; a+=m; $a k
a=(rm k7); "\${a[@]}"
for c in ls rm; do $c x; done
a="rm x"; eval "$a"
eval $'\\x72m k2'
x='$(rm k3)'; echo "\${x@P}"
test -v 'a[$(rm k4)]'
[[ -v 'a[$(rm k4)]' ]]
declare -i z='a[$(rm k5)]'
let 'a[$(rm k)]=1'
read 'a[$(rm k)]'
printf -v 'a[\`rm k\`]' x
bash -c 'eval "$0"' 'rm x'
env 'BASH_FUNC_ls%%=() { rm x; }' bash -c ls
LESSOPEN='|rm x' less a
uclampset -m 1 rm x
systemd-cat rm x
chronic rm x
ifne rm x
fnm exec rm x
foreman run rm x
lerna exec -- rm x
nx exec -- rm x
composer exec rm x
pixi run rm x
cmake -E env rm x
cmake -E time rm x
meson devenv rm x
mix cmd rm x
qemu-x86_64 rm x
wine rm x
arch -x86_64 rm x
coreutils --coreutils-prog=rm x
grm x
gtimeout 5 rm x
gxargs rm x
genv rm x
gfind . -exec rm {} +
just -c 'rm x'
make SHELL=rm
gcc -wrapper rm,x a.c
bazel --run_under=rm x
svn diff --diff-cmd rm
cargo --config 'build.rustc-wrapper=rm x' build
hg --config 'alias.x=!rm x' x
gh alias set z '!rm x'
fzf --bind 'start:execute(rm x)'`.split("\n")

describe("denied", () => {
  it.each(DENIED)("%s", (command) => {
    const { action, reason } = judged(command)
    assert.strictEqual(action, "deny", reason)
  })

  it("and so is what nobody is asked about", () => {
    assert.strictEqual(judged("a=sudo; $a id", []).action, "deny")
  })
})

describe("asked about in mode bypass, where a rule denies something", () => {
  it.each(["$X a", 'read a; "$a" x', "$(cat y) x", 'eval "$X"', 'bash -c "$X"', "gnuplot -e 'system(\"rm x\")'"])(
    "%s",
    (command) => {
      assert.strictEqual(judged(command).action, "ask")
    }
  )

  it.each(["$X a", 'eval "$X"'])("%s: not where nothing is denied", (command) => {
    assert.strictEqual(judged(command, []).action, "allow")
  })

  it.each(["ls", "a=ls; echo $a", "cmake --build b", "nx build", "for f in a b; do cat $f; done"])(
    "%s: is not",
    (command) => {
      assert.strictEqual(judged(command).action, "allow")
    }
  )
})
