/** Token counts as servers send them: missing, negative, huge, elsewhere (RELIABILITY 3.6). */
import { assert, it } from "@effect/vitest"
import type { Usage } from "../../src/domain/Usage.ts"
import { usageOf } from "../../src/provider/openai/usage.ts"

it.each<[unknown, Usage | undefined]>([
  [
    { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    { input_tokens: 10, output_tokens: 5 }
  ],
  [
    {
      prompt_tokens: 10,
      completion_tokens: 5,
      prompt_tokens_details: { cached_tokens: 8 },
      completion_tokens_details: { reasoning_tokens: 4 }
    },
    { input_tokens: 10, output_tokens: 5, cached_tokens: 8, reasoning_tokens: 4 }
  ],
  [
    { prompt_tokens: 10, completion_tokens: 5, prompt_cache_hit_tokens: 3 },
    { input_tokens: 10, output_tokens: 5, cached_tokens: 3 }
  ],
  [
    { prompt_tokens: 10, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 99 } },
    { input_tokens: 10, output_tokens: 5, cached_tokens: 10 }
  ],
  [
    { prompt_tokens: 10, completion_tokens: 5, prompt_tokens_details: null, completion_tokens_details: null },
    { input_tokens: 10, output_tokens: 5 }
  ],
  [
    { input_tokens: 1, output_tokens: 2 },
    { input_tokens: 1, output_tokens: 2 }
  ],
  [{ prompt_tokens: 10 }, { input_tokens: 10, output_tokens: 0, estimated: true }],
  [
    { prompt_tokens: -1, completion_tokens: 5 },
    { input_tokens: 0, output_tokens: 5, estimated: true }
  ],
  [
    { prompt_tokens: 1e300, completion_tokens: 5 },
    { input_tokens: 100_000_000, output_tokens: 5, estimated: true }
  ],
  [
    { prompt_tokens: "10", completion_tokens: null },
    { input_tokens: 0, output_tokens: 0, estimated: true }
  ],
  [
    { prompt_tokens: 1.5, completion_tokens: Number.NaN },
    { input_tokens: 1, output_tokens: 0, estimated: true }
  ],
  [{}, undefined],
  [null, undefined],
  ["many", undefined]
])("%j", (given, expected) => assert.deepStrictEqual(usageOf(given), expected))

it.each<[unknown, Usage]>([
  // A prompt is never empty: a server that counts nothing at all has not counted (RELIABILITY 3.6).
  [
    { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
    { input_tokens: 40, output_tokens: 7, estimated: true }
  ],
  [
    { input_tokens: 0, output_tokens: 5 },
    { input_tokens: 40, output_tokens: 5, estimated: true }
  ],
  [
    { input_tokens: 30, output_tokens: 0 },
    { input_tokens: 30, output_tokens: 7, estimated: true }
  ]
])("%j of a prompt and an answer that have something is a guess", (given, expected) =>
  assert.deepStrictEqual(usageOf(given, { input_tokens: 40, output_tokens: 7 }), expected)
)
it("an answer of nothing may count nothing", () =>
  assert.deepStrictEqual(usageOf({ prompt_tokens: 9, completion_tokens: 0 }, { input_tokens: 8, output_tokens: 0 }), {
    input_tokens: 9,
    output_tokens: 0
  }))
