/** A fault is told in one language: sentence by sentence in Chinese, or as a quotation (R096). */
import { assert, it } from "@effect/vitest"
import { describe as complaint } from "../../src/cli/Complaint.ts"
import { faultInChinese } from "../../src/cli/faultTexts.ts"
import { errorBody } from "../../src/domain/ErrorCode.ts"

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
