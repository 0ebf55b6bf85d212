/** How a profile is chosen from settings, and what is said when none can be. */
import { assert, describe, it } from "@effect/vitest"
import { type Settings, isResolved, profileOfUrl, profiles, resolveProfile } from "../../src/provider/Profiles.ts"

const resolved = (settings: Settings) => {
  const found = resolveProfile(settings)
  return isResolved(found) ? { ...found, profile: found.profile.name } : found.reason
}

describe("resolveProfile", () => {
  it("a key alone chooses its provider", () => {
    assert.deepStrictEqual(resolved({ OPENAI_API_KEY: " sk-1\n" }), {
      profile: "openai",
      base_url: "https://api.openai.com/v1",
      key: "sk-1",
      key_source: "OPENAI_API_KEY",
      model: "gpt-5-mini",
      source: "OPENAI_API_KEY"
    })
    assert.deepStrictEqual(resolved({ ZHIPU_API_KEY: "z", CLAW_MODEL: "glm-x" }), {
      profile: "zhipu",
      base_url: "https://open.bigmodel.cn/api/paas/v4",
      key: "z",
      key_source: "ZHIPU_API_KEY",
      model: "glm-x",
      source: "ZHIPU_API_KEY"
    })
  })
  it("a base URL chooses the profile that lives there, else the generic one", () => {
    assert.deepStrictEqual(
      [
        "http://localhost:11434/v1",
        "http://127.0.0.1:1234/v1",
        "https://api.openai.com/v1",
        "http://127.0.0.1:4010/v1"
      ].map((url) => profileOfUrl(url).name),
      ["ollama", "lmstudio", "openai", "generic"]
    )
    assert.deepStrictEqual(
      resolved({ OPENAI_BASE_URL: "http://127.0.0.1:4010/v1/", OPENAI_API_KEY: "x", CLAW_MODEL: "m" }),
      {
        profile: "generic",
        base_url: "http://127.0.0.1:4010/v1",
        key: "x",
        key_source: "OPENAI_API_KEY",
        model: "m",
        source: "OPENAI_BASE_URL"
      }
    )
  })
  it("a named profile needs nothing else where it has no key", () => {
    assert.deepStrictEqual(resolved({ CLAW_PROVIDER: "Ollama", CLAW_MODEL: "qwen3" }), {
      profile: "ollama",
      base_url: "http://127.0.0.1:11434/v1",
      model: "qwen3",
      source: "CLAW_PROVIDER"
    })
  })
  it("OpenAI's key goes to OpenAI or where the user points it, nowhere else", () => {
    const key = { OPENAI_API_KEY: "sk-1" }
    assert.isFalse("key" in (resolved({ ...key, CLAW_PROVIDER: "ollama" }) as object))
    assert.deepStrictEqual(
      (resolved({ ...key, CLAW_PROVIDER: "ollama", OPENAI_BASE_URL: "http://10.0.0.7:1/v1" }) as { key: string }).key,
      "sk-1"
    )
  })
  it("a pasted endpoint is understood as its base", () => {
    assert.deepStrictEqual(
      (resolved({ OPENAI_BASE_URL: "http://h/v1/chat/completions", CLAW_MODEL: "m" }) as { base_url: string }).base_url,
      "http://h/v1"
    )
  })
  it.each<[Settings, RegExp]>([
    [{}, /Set OPENAI_API_KEY or ZHIPU_API_KEY, or OPENAI_BASE_URL/],
    [{ OPENAI_API_KEY: "  " }, /No model is configured/],
    [{ CLAW_PROVIDER: "nope" }, /"nope", which is no provider\. Known: openai, openai-responses, zhipu/],
    [{ CLAW_PROVIDER: "constructor" }, /no provider/],
    [{ CLAW_PROVIDER: "openai" }, /Set OPENAI_API_KEY: OpenAI needs an API key/],
    [{ CLAW_PROVIDER: "generic" }, /Set OPENAI_BASE_URL/],
    [{ OPENAI_BASE_URL: "localhost:1" }, /must begin with http/],
    [{ OPENAI_BASE_URL: "not a url" }, /is not a URL/],
    [{ OPENAI_BASE_URL: "http://u:p@h/v1" }, /must not contain a user name/]
  ])("%j says what to set", (settings, says) => {
    const found = resolved(settings)
    assert.isString(found)
    assert.match(found as string, says)
  })
  it("every profile is whole", () => {
    for (const [name, profile] of Object.entries(profiles)) assert.strictEqual(profile.name, name)
  })
})
