/** `claw run "/name"`: a prompt by its name, a refusal, or a text that only looks like one (R086). */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { type Names, textOf } from "../../src/app/namedPrompt.ts"

const names: Names = {
  written: {
    prompts: [{ name: "review", description: "", argument: "", fill: (words) => `Review ${words}.` }],
    skills: [],
    bad: [{ path: ".claw/commands/git/log.md", why: "it is empty" }]
  },
  untrusted: ["deploy"],
  isPath: (path) => path === "/tmp"
}

describe("a prompt of claw run that begins with a slash", () => {
  it.each([
    ["/review a.txt", "Review a.txt."],
    ["/etc/hosts is odd", "/etc/hosts is odd"],
    ["/tmp is full", "/tmp is full"],
    ["/** a comment */", "/** a comment */"],
    ["// so", "// so"],
    ["/review, then", "/review, then"],
    [" /reviwe", " /reviwe"]
  ])("%s is a text, or stands for one", (content, text) => {
    assert.deepStrictEqual(textOf(content, names, "en"), Result.succeed(text))
  })

  it.each([
    ["/reviwe a.txt", "no prompt of the name /reviwe. Did you mean /review?"],
    ["/zzzzzz", 'no prompt of the name /zzzzzz. To send it as text: claw run " /zzzzzz'],
    ["/deploy now", "/deploy is a prompt of this workspace, which is not trusted"],
    ["/status", "/status is a command of claw's prompt"],
    ["/git:log", "/git:log cannot be used: it is empty."]
  ])("%s is refused, and why", (content, why) => {
    const said = textOf(content, names, "en")
    assert.include(Result.isFailure(said) ? said.failure : "", why)
    const zh = textOf(content, names, "zh-CN")
    assert.match(Result.isFailure(zh) ? zh.failure : "", /[一-鿿]/)
  })
})
