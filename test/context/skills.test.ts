/** What makes a skill, which of two counts, and that a bad one costs nobody the others (R082). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { frontMatter, loadYaml } from "../../src/context/FrontMatter.ts"
import { readSkills, type SkillSource, skillsPart } from "../../src/context/Skills.ts"

const skill = (path: string, text: string | undefined, more: ReadonlyArray<string> = []): SkillSource => ({
  path,
  of: "project",
  files: [
    { path: "SKILL.md", ...(text === undefined ? {} : { text }) },
    ...more.map((name) => ({ path: name, text: "" }))
  ]
})

const head = (name: string, description: string) => `---\nname: ${name}\ndescription: ${description}\n---\n`
const yaml = Effect.promise(loadYaml)

describe("skills", () => {
  it.effect("have a name, a description and a body; the list has only the first two", () =>
    Effect.gen(function* () {
      const text = `${head("release", ">\n  Makes a\n  release. Use it when asked for one.")}\n# Steps\n\nRun it.\n`
      const { bad, skills } = readSkills([skill(".claw/skills/release", text, ["run.sh"])], yield* yaml)
      assert.deepStrictEqual(bad, [])
      assert.deepStrictEqual(skills, [
        {
          name: "release",
          description: "Makes a release. Use it when asked for one.",
          path: ".claw/skills/release",
          of: "project",
          body: "# Steps\n\nRun it.",
          files: [{ path: "run.sh", text: "" }]
        }
      ])
      assert.strictEqual(
        skillsPart(skills),
        [
          "# Skills",
          "Written procedures for certain work. Where one fits what is asked, read it with read_skill before you begin.",
          "- release: Makes a release. Use it when asked for one."
        ].join("\n")
      )
      assert.strictEqual(skillsPart([]), "")
    })
  )

  const BAD = [
    ["no text", undefined, "its SKILL.md is no text of at most 256 KiB"],
    ["no front matter", "# Steps", "its name is not up to 64 small letters, digits and single hyphens"],
    ["a name with a path", head("../x", "d"), "its name is not up to 64 small letters, digits and single hyphens"],
    ["no description", "---\nname: a\n---\n", "it has no description"],
    ["a long description", head("a", "x".repeat(1_025)), "its description is longer than 1024 characters"],
    ["no end", `---\nname: a\n${"# x\n".repeat(3_000)}---\n`, "its front matter has no end within 8192 characters"],
    ["a list", "---\n- name\n---\n", "its front matter cannot be read: it is no table of names and texts"],
    ["aliases", "---\nname: &a b\ndescription: *a\n---\n", "its front matter cannot be read: "],
    ["a name twice", "---\nname: a\nname: b\n---\n", "its front matter cannot be read: "],
    ["a tag", "---\nname: !!js/function 'x'\ndescription: d\n---\n", "its front matter cannot be read: "]
  ] as const
  it.effect.each(BAD)("%s: it is told, and the others count", ([, text, why]) =>
    Effect.gen(function* () {
      const sources = [skill(".claw/skills/bad", text), skill(".claw/skills/good", head("good", "d"))]
      const { bad, skills } = readSkills(sources, yield* yaml)
      assert.deepStrictEqual(
        skills.map(({ name }) => name),
        ["good"]
      )
      assert.strictEqual(bad[0]?.path, ".claw/skills/bad")
      assert.include(bad[0]?.why, why)
    })
  )

  it.effect("of one name: the first counts, and the other is told", () =>
    Effect.gen(function* () {
      const sources = ["/home/a/.config/claw/skills/x", ".claw/skills/x"].map((path) => skill(path, head("x", path)))
      const { bad, skills } = readSkills(sources, yield* yaml)
      assert.deepStrictEqual(
        skills.map(({ path }) => path),
        ["/home/a/.config/claw/skills/x"]
      )
      assert.deepStrictEqual(bad, [
        { path: ".claw/skills/x", why: "/home/a/.config/claw/skills/x has the same name, and goes before it" }
      ])
    })
  )

  it.effect("are a hundred at most", () =>
    Effect.gen(function* () {
      const many = Array.from({ length: 101 }, (_, i) => skill(`s/${i}`, head(`s${i}`, "d")))
      const { bad, skills } = readSkills(many, yield* yaml)
      assert.deepStrictEqual([skills.length, bad.map(({ path }) => path)], [100, ["s/100"]])
    })
  )

  it.effect("front matter may be empty, absent, and have Windows line ends", () =>
    Effect.gen(function* () {
      const read = yield* yaml
      const of = (text: string) => Result.getOrThrow(frontMatter(text, read))
      assert.deepStrictEqual(of("---\n---\nbody"), { fields: {}, body: "body" })
      assert.deepStrictEqual(of("body\n---\n"), { fields: {}, body: "body\n---\n" })
      assert.deepStrictEqual(of("\uFEFF---\r\na: 1\r\nb: [x]\r\n---\r\nbody\r\n"), {
        fields: { a: "1" },
        body: "body\n"
      })
    })
  )
})
