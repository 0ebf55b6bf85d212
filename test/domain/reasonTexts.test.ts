/** Every sentence that says why a call asks or is refused has a Chinese one: read off the sources that make them. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { isKnownReason, reasonText } from "../../src/domain/ReasonTexts.ts"

const SOURCE = join(import.meta.dirname, "../../src")

const FILES = [
  ...readdirSync(join(SOURCE, "sandbox"))
    .filter((name) => /^(?:command|CommandA|controlPlane|gitLed|gitShape)/.test(name))
    .map((name) => `sandbox/${name}`),
  ...["Policy", "Explain", "codeDoubts", "arguments", "Gate", "ApprovalGate"].map((name) => `approval/${name}.ts`)
]

/** A text in quotes, and what stands before it. */
const TEXT = /(\w*\(|\w*:|[?=,[>]|return)\s*(?:"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`)/g
/** Tables of words, and what is compared. */
const NO_SENTENCE =
  /^(?:set|names|list|files|lines|each|Set|RegExp|split|join|startsWith|endsWith|includes|replace)\($|^long:$/
const VALUE = /\$\{(?:[^{}]|\{[^{}]*\})*\}/g
const WORDS = /\b(?:the|it|its|is|are|may|would|what|that|of|and|by|was|be|runs|takes|changes|deletes|several|has)\b/

const sentencesIn = (file: string): ReadonlyArray<string> => {
  const text = readFileSync(join(SOURCE, file), "utf8")
    .replace(/\/\*\*[^]*?\*\//g, "")
    .replace(/^\s*\/\/.*$/gm, "")
  return Array.from(text.matchAll(TEXT)).flatMap(([, before = "", plain, template]) => {
    const sentence = (plain ?? template ?? "").replace(VALUE, "x1")
    const isOne = !/\n|^-/.test(sentence) && sentence.split(" ").length > 2 && WORDS.test(sentence)
    return isOne && !NO_SENTENCE.test(before) ? [sentence] : []
  })
}

/** Some stand behind a name. */
const isTranslated = (sentence: string): boolean =>
  [sentence, `x1 ${sentence}`, sentence.replace(/^x1/, "touches"), sentence.replace(" x1 ", " hook x1 ")].some((one) =>
    isKnownReason(one)
  )

describe("reasons", () => {
  it("all have a Chinese sentence", () => {
    const all = FILES.flatMap((file) => sentencesIn(file).map((sentence) => ({ file, sentence })))
    assert.isAbove(all.length, 100)
    assert.deepStrictEqual(
      all.filter(({ sentence }) => !isTranslated(sentence)),
      []
    )
  })

  it.each([
    [
      "runs make test (nobody can tell what else Makefile runs; has the option -f)",
      "运行 make test（无法得知 Makefile 还会运行什么；带有选项 -f）"
    ],
    ["runs f (x; y)", "运行 f (x; y)"],
    ["it would need an approval: runs make", "需要批准：运行 make"],
    ["tar takes away what it packs", "tar 会去掉它所打包的内容"],
    [".git/x is read by git as its settings, which tools never write", ".git/x 会被 git 当作设置读取，工具从不写入"]
  ])("%s", (english, chinese) => {
    assert.strictEqual(reasonText(english, "zh-CN"), chinese)
  })
})
