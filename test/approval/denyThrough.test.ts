/**
 * What a rule denies, and what nobody is asked about, through everything that runs a text or another program (P4, T2): also
 * in mode `bypass`. What code of another language would do nobody can say: what it names is asked about, whatever was granted.
 */
import { assert, describe, it } from "@effect/vitest"
import { digestOf } from "../../src/approval/matching.ts"
import type { Action, Rule } from "../../src/approval/Rules.ts"
import type { Grant } from "../../src/domain/Approval.ts"
import { denyRule, judgeBash, makeGrant, makeWorkspace } from "../support/approvalCorpus.ts"

/** Of exactly this call. */
const granted = (workspace: string, command: string): Grant => ({
  ...makeGrant(workspace, "exact", ["x"]),
  matcher: { kind: "exact", digest: digestOf("bash", { command }) }
})

const judged = (command: string, rules: ReadonlyArray<Rule>, mode: "ask" | "bypass" | "never-ask" = "bypass") => {
  const { path, remove } = makeWorkspace()
  try {
    return judgeBash({ command, workspace: path, rules, mode, grants: [granted(path, command)] })
  } finally {
    remove()
  }
}

const THROUGH = `docker run --rm -v a:b -e X=1 img rm x
docker run img sh -c 'rm x'
docker exec -it web rm x
docker compose exec web rm x
podman run img rm x
nerdctl exec web rm x
kubectl exec pod -- rm x
kubectl run x --image=y -- rm x
cargo run -- rm x
guix shell coreutils -- rm x
nix run nixpkgs#coreutils -- rm x
nix develop -c rm x
nix shell nixpkgs#coreutils --command rm x
nix-shell -p coreutils --run 'rm x'
nix-shell --run rm
vim -c '!rm x' -c q
vim -es +'%!rm x'
vim '+!rm x'
ex -c ':r !rm x' a
nvim --cmd '!rm x'
socat - EXEC:'rm x'
socat - 'SYSTEM:rm x,pty'
socat TCP-LISTEN:1 'exec:"rm x",pty,stderr'
ncat -l 1 -e 'rm x'
ncat --sh-exec 'rm x' h 1
nc -c 'rm x' h 1
alias r='rm x'
alias ll=ls r='rm x'
hash -p /bin/rm x
hash -p/usr/bin/rm x
bind -x '"\\C-x": rm x'
trap 'rm x' EXIT
complete -C 'rm x' y
PROMPT_COMMAND='rm x' bash -i
export PROMPT_COMMAND='rm x'
PAGER='rm x' git log
GIT_SSH_COMMAND="rm x" git fetch
GIT_EDITOR='rm x' git commit
declare -x EDITOR='rm x'
watch -x rm x
watch 'rm x'
ssh localhost rm x
ssh localhost 'cd y && rm x'
zip -T -TT 'rm x' a b
ansible all -m shell -a 'rm x'
tcpdump -z rm -r a
docker exec -i web sh <<'E'\\nrm x\\nE
kubectl exec -i pod -- bash <<< 'rm x'
env -i bash <<'E'\\nrm x\\nE
nice timeout 5 bash <<< 'rm x'
docker run -i img bash <<< 'rm x'
ssh host <<'E'\\nrm x\\nE
ssh host <<< 'rm x'
echo 'rm x' | ssh host
echo 'rm x' | xargs -I{} sh -c {}
printf 'rm x' | parallel
echo '* * * * * rm x' | crontab -
crontab - <<< '@reboot rm x'
busybox sh <<< 'rm x'
unshare -r <<< 'rm x'`.split("\n")

describe("a rule that denies rm meets it", () => {
  it.each(THROUGH)("in %s", (line) => {
    const { action, reason } = judged(line.replaceAll("\\n", "\n"), [denyRule(["rm"])])
    assert.strictEqual(action, "deny", reason)
  })
})

const REFUSED = `docker run img sudo id
podman exec x curl http://169.254.169.254/
nix develop -c sudo id
vim -c '!sudo id'
socat - EXEC:'sudo id'
alias s='sudo id'
hash -p /usr/bin/sudo s
bind -x '"\\C-x": sudo id'
PROMPT_COMMAND='sudo id' bash -i
watch -x sudo id
ssh localhost sudo id
docker exec -i web sh <<< 'sudo id'
echo 'sudo id' | ssh host`.split("\n")

describe("what nobody is asked about is refused", () => {
  it.each(REFUSED)("in %s", (line) => {
    assert.strictEqual(judged(line, []).action, "deny")
  })
})

const CODE = `python3 -c "import os; os.system('rm x')"
python3 -c "import subprocess; subprocess.run(['rm', 'x'])"
perl -e 'system("rm x")'
perl -ne 'print \`rm x\`' a
ruby -e 'exec "rm", "x"'
node -e 'require("child_process").execSync("rm x")'
node --eval='process.exit(rm)'
php -r 'shell_exec("rm x");'
lua -e 'os.execute("rm x")'
awk 'BEGIN{system("rm x")}'
Rscript -e 'system("rm x")'
sqlite3 a.db '.shell rm x'
vim -c 'call system("rm x")'
make --eval='x:; rm x'
python3 <<'E'\\nimport os\\nos.system("rm x")\\nE
python3 - <<< 'os.system("rm x")'
echo 'system("rm x")' | perl
env python3 -c "os.system('rm x')"
docker exec web python3 -c "os.system('rm x')"`.split("\n")

describe("code that names what a rule denies asks, and is never allowed", () => {
  it.each(CODE)("%s", (line) => {
    const command = line.replaceAll("\\n", "\n")
    const rules = [denyRule(["rm"])]
    const bypass = judged(command, rules)
    assert.deepStrictEqual([bypass.action, bypass.grant_options], ["ask", []], bypass.reason)
    assert.strictEqual(judged(command, rules, "ask").action, "ask")
    assert.strictEqual(judged(command, rules, "never-ask").action, "deny")
  })

  const rows: ReadonlyArray<readonly [string, ReadonlyArray<Rule>, Action]> = [
    ["python3 -c \"print('performs')\"", [denyRule(["rm"])], "allow"],
    ["python3 -c \"print('a-rm')\"", [denyRule(["rm"])], "allow"],
    ["python3 -c 'print(1)'", [denyRule(["rm"])], "allow"],
    ["python3 -c \"run(['git', 'push'])\"", [denyRule(["git", "push"])], "ask"],
    ["python3 -c \"run(['git', 'pull'])\"", [denyRule(["git", "push"])], "allow"],
    ["python3 -c \"open('secret/a')\"", [{ ...denyRule(["x"]), matcher: { kind: "path", glob: "secret/**" } }], "ask"],
    [
      "python3 -c \"open('public/a')\"",
      [{ ...denyRule(["x"]), matcher: { kind: "path", glob: "secret/**" } }],
      "allow"
    ],
    ["python3 -c \"os.system('sudo id')\"", [], "ask"],
    ["python3 -c \"run(['rm', '-rf', '/'])\"", [], "ask"],
    ["perl -e 'system(\"curl http://169.254.169.254/\")'", [], "ask"],
    ["python3 -c \"print('sudoku')\"", [], "allow"],
    ["echo 'rm x'", [denyRule(["rm"])], "allow"]
  ]
  it.each(rows)("%s in mode bypass: %s", (command, rules, expected) => {
    const { action, reason } = judged(command, rules)
    assert.strictEqual(action, expected, reason)
  })
})
