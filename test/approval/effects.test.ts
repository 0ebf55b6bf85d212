/** Rules on what a command does instead of what it is called: however it is spelled or started (R138, P1, P4). */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { Rule } from "../../src/approval/Rules.ts"
import type { Consequence } from "../../src/domain/Matcher.ts"
import { judgeBash, makeWorkspace } from "../support/approvalCorpus.ts"

const MEETS: Readonly<Record<Consequence, string>> = {
  deletes: `rm x|find docs -delete|git clean -fd|git push --force|unlink x|truncate -s 0 x|nice rm x|sh -c 'shred x'|ls; rm x
    |find . -exec unlink {} +|a=rm; $a x|git reset --hard|dd if=a of=b
    |git checkout --forc main|git switch --disc main|git branch --del --forc x|git tag --del v1|git update-ref -d refs/x
    |git prune|git submodule deinit -f x|git filter-branch|cargo clean
    |> README.md|: > README.md|echo x >\\| README.md|cat a &> README.md|{ echo a; } > README.md|(ls) > README.md
    |echo x > $PWD/README.md|tee README.md < x|echo x / tee README.md|sponge README.md|ln -sf docs README.md
    |ln -f a README.md|cp a README.md|cp docs/README.md .|mv docs/README.md ./|cp -r docs/. .|mv docs/R* .|install a README.md
    |gzip README.md|xz -9 README.md|bzip2 README.md|zstd --rm a|zip -m x docs|tar cf README.md docs|tar --remove-files -cf x docs
    |sed -i d README.md|sed -i s/a/b/ README.md|sed -n -i p README.md|sed --in-place d README.md|perl -i -pe 1 README.md
    |perl -pi -e 1 README.md|awk -i inplace 1 README.md|ed README.md|sort -o README.md a|curl -o README.md h
    |curl -oREADME.md h|wget -O README.md h|gcc -o README.md a.c|rsync -a --delete a b|rsync --remove-source-files a b
    |docker rm x|docker system prune -f|docker volume rm x|kubectl delete pod x|redis-cli flushall|aws s3 rm s3://x
    |gh repo delete x|terraform destroy|dropdb x|crontab -r|aws ec2 terminate-instances x|frob delete x`,
  network: `curl h|git push|git -C sub fetch|npm install|npm publish|pip3 install x|docker pull x|cargo add x|ssh h ls|npx x
    |env curl h|git submodule update|rsync a h:b|yarn|go get x|$(wget h)|timeout 5 gh pr list`,
  changes: `touch x|echo x > y|npm test|rm x|git commit -m x|frobnicate|sed -i s/a/b/ x|ls && mkdir a`
}
const NOT: Readonly<Record<Consequence, string>> = {
  deletes: `ls|touch x|git status|npm test|cat rm|git push|mv a b|echo x > new|echo x >> README.md|ls 2> /dev/null
    |ls > /dev/null|tee new|echo x / tee -a README.md|ln -s docs new|ln -s a README.md|cp README.md docs/new|cp -n a README.md
    |gzip -k README.md|gzip -c README.md|gzip -l a.gz|gzip|zcat a.gz|sed s/a/b/ README.md|sed -i.bak d README.md
    |sort -o new a|curl -o new h|tar cf new docs|tar xf a|npm uninstall x|grep delete README.md|pytest -k delete
    |mkdir delete|gcc -o new a.c|rsync -a a b|docker ps|kubectl get pods|git commit -m delete|sed -n p README.md`,
  network:
    "ls|git status|git commit -m x|npm test|npm run build|cargo build|go test ./...|docker ps|rsync a b|echo curl|grep ssh x",
  changes: "ls|cat README.md|git status|git log -p|grep -rn x src|find . -name x|ls src"
}

const each = (text: string) =>
  text.split(/(?<!\\)\|/).map((one) => one.trim().replace("\\|", "|").replace(" / ", " | "))

describe.each(["deletes", "network", "changes"] as const)("a rule on what %s", (effect) => {
  const actionOf = (command: string, action: Rule["action"], mode: "bypass" | "ask") => {
    const { path, remove } = makeWorkspace()
    writeFileSync(join(path, "docs/README.md"), "other\n")
    const rules: ReadonlyArray<Rule> = [
      { name: "no", tool: "*", matcher: { kind: "effect", effect }, action },
      ...["rm", "ls", "touch", "curl"].map((word): Rule => ({
        name: word,
        tool: "bash",
        matcher: { kind: "command", argv: [word] },
        action: "allow"
      }))
    ]
    try {
      return judgeBash({ command, workspace: path, rules, mode }).action
    } finally {
      remove()
    }
  }

  it("that denies", () => {
    const [meets, not] = [each(MEETS[effect]), each(NOT[effect])]
    assert.deepStrictEqual(
      meets.filter((command) => actionOf(command, "deny", "bypass") !== "deny"),
      []
    )
    assert.deepStrictEqual(
      not.filter((command) => actionOf(command, "deny", "bypass") === "deny"),
      []
    )
  })

  it("that asks comes before what is allowed by name", () => {
    const own = { deletes: "rm x", network: "curl h", changes: "touch x" }[effect]
    assert.deepStrictEqual([actionOf(own, "ask", "ask"), actionOf("ls", "ask", "ask")], ["ask", "allow"])
  })
})
