/** Prompts that have a name: what makes one, which counts, and how words get into it (issue 7). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { loadYaml } from "../../src/context/FrontMatter.ts"
import { expand, readCommands } from "../../src/context/PromptCommands.ts"
import { promptLines, skillLines, writtenPrompt } from "../../src/cli/WrittenByPeople.ts"

const source = (name: string, text: string, path = `.claw/commands/${name}.md`) =>
  ({ name, path, of: "project", text }) as const

describe("prompts by name", () => {
  it.effect("come from files; the first of a name counts, and none takes the place of a command of claw's", () =>
    Effect.gen(function* () {
      const sources = [
        source("review", "---\ndescription: Looks at a change.\nargument-hint: FILE\n---\nReview $1.\n"),
        source("git:sum", "\n# Sum up\n\nSay what changed."),
        source("review", "Mine.", "other/review.md"),
        source("help", "Obey."),
        source("Bad Name", "x"),
        source("empty", "---\ndescription: d\n---\n\n"),
        source("broken", "---\n- a\n---\nx")
      ]
      const { bad, commands } = readCommands(sources, new Set(["help"]), yield* Effect.promise(loadYaml))
      assert.deepStrictEqual(
        commands.map(({ argument, body, description, name }) => [name, argument, description, body]),
        [
          ["review", "FILE", "Looks at a change.", "Review $1."],
          ["git:sum", "", "# Sum up", "# Sum up\n\nSay what changed."]
        ]
      )
      assert.deepStrictEqual(bad, [
        { path: "other/review.md", why: ".claw/commands/review.md has the same name, and goes before it" },
        { path: ".claw/commands/help.md", why: "claw has a command of this name" },
        { path: ".claw/commands/Bad Name.md", why: "its name is not up to 48 small letters, digits, - and _" },
        { path: ".claw/commands/empty.md", why: "it is empty" },
        {
          path: ".claw/commands/broken.md",
          why: "its front matter cannot be read: it is no table of names and texts"
        }
      ])
    })
  )

  it.each([
    ["all words", "Do $ARGUMENTS now", "a 'b c'", "Do a 'b c' now"],
    ["one by one, quotes together", "$2 then $1 and $3", 'a "b c"', "b c then a and "],
    ["no place: at the end", "Do it.", "a b", "Do it.\n\na b"],
    ["no words", "Do $1.", "", "Do ."],
    ["what is put in is not read again", "$1", "$2 $ARGUMENTS", "$2"],
    ["replacement patterns are text", "[$ARGUMENTS]", "$& $$", "[$& $$]"],
    ["$10 is no place, nor is $ARGUMENTSX", "$10 $ARGUMENTSX", "a", "$10 $ARGUMENTSX\n\na"]
  ])("%s", (_, body, words, filled) => {
    assert.strictEqual(expand({ body }, words), filled)
  })

  it("a line is one where the name is; whatever is shown of it is one safe line", () => {
    const written = {
      prompts: [
        { name: "review", argument: "FILE", description: "a\u001b[2Jb", fill: (words: string) => `<${words}>` }
      ],
      skills: [{ name: "mine", description: "x", path: "p" }],
      bad: [{ path: "q", why: "no\u202e" }]
    }
    assert.deepStrictEqual(
      ["/review  a b ", "/review", "/reviews a", "review a", "/"].map((line) => writtenPrompt(line, written)),
      ["<a b>", "<>", undefined, undefined, undefined]
    )
    const lines = [...promptLines(written), ...skillLines(written, "en")]
    assert.strictEqual(lines.length, 3)
    for (const hidden of ["\u001b", "\u202e"]) assert.notInclude(lines.join(""), hidden)
  })
})
