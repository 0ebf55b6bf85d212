/** A fault is told in one language: sentence by sentence in Chinese, or as a quotation (R096). */
import { assert, it } from "@effect/vitest"
import { describe as complaint } from "../../src/cli/Complaint.ts"
import { errorBody } from "../../src/domain/ErrorCode.ts"
import { fault, faultHoles, faultInChinese, type FaultName, faultNames } from "../../src/domain/FaultTexts.ts"
import * as fc from "fast-check"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

it.each([
  [
    "Nothing is listening at 127.0.0.1:11434. Start it with `ollama serve`.",
    "127.0.0.1:11434 上没有服务在监听。请用 `ollama serve` 启动。"
  ],
  [
    "The model server is limiting requests (HTTP 429). It said: slow down. Please.",
    "模型服务正在限制请求(HTTP 429)。服务端说：slow down. Please."
  ],
  [
    "m-1 failed 5 times in a row and is left alone; claw tries it again in 27 s. The model server has a problem.",
    "m-1 连续失败 5 次，暂不再请求；27 秒后再试。模型服务出现问题。"
  ],
  [
    "The name in nosuch:80 cannot be resolved. Check the base URL and your network.",
    "无法解析 nosuch:80 中的主机名。请检查地址与网络。"
  ]
])("%s", (english, chinese) => {
  assert.strictEqual(faultInChinese(english), chinese)
  assert.strictEqual(
    complaint.error(errorBody("provider_unreachable", english), "zh-CN"),
    `${chinese} [provider_unreachable]`
  )
})

it("what nobody translated is a quotation behind the code's own sentence", () => {
  const told = complaint.error(
    errorBody("provider_unreachable", "Never heard of. The model server has a problem."),
    "zh-CN"
  )
  assert.match(told, /^[^A-Za-z]+（原文：Never heard of\. The model server has a problem\.） \[provider_unreachable\]$/)
})

/** Values as they come, by the hole they are for. */
const valueOf = (hole: string): string =>
  ({ at: " (HTTP 503)", words: "a. b: (c)!", command: "`x serve`", limit: "1.5 s", times: "5" })[hole] ??
  "h-1.example:80"

const told = (name: FaultName): string => {
  const values = Object.fromEntries(faultHoles(name).map((hole) => [hole, valueOf(hole)]))
  return (fault as (name: FaultName, values: object) => string)(name, values)
}

it("every sentence that can be told is read back by its own row, alone and behind any other", () => {
  for (const name of faultNames) {
    const chinese = faultInChinese(told(name))
    assert.match(chinese ?? name, /\p{Script=Han}/u)
    for (const hole of faultHoles(name)) assert.include(chinese, valueOf(hole).trim(), name)
  }
  // Whose words go to the end of the text can only be the last.
  const open = faultNames.filter((name) => !faultHoles(name).includes("words"))
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...open), { minLength: 1, maxLength: 5 }), (names) => {
      const parts = names.map(told)
      assert.strictEqual(faultInChinese(parts.join(" ")), parts.map(faultInChinese).join(""))
    })
  )
})

const filesBelow = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(folder, name))

it("no fault is told in words of its own", () => {
  const provider = fileURLToPath(new URL("../../src/provider", import.meta.url))
  const own = filesBelow(provider).flatMap((file) =>
    readFileSync(file, "utf8")
      .split("\n")
      // A script of a program's own, and a switch between sentences that are rows.
      .filter(
        (line) =>
          /\bdetail: *["`]|\breason: *["`](?!\$\{fault\()[^"`]* /.test(line) && !/script ended|\$\{alone\}/.test(line)
      )
  )
  assert.deepStrictEqual(own, [])
})
