/**
 * What OpenAI's servers counted, with the texts they counted, as others recorded it in public: figures of the real thing,
 * which nobody here could make up. `input`: the whole request; `output`: a text that was the whole answer.
 */
import type { Message, ToolDefinition } from "../../src/domain/Message.ts"

export interface Recorded {
  readonly kind: "English" | "Chinese" | "code"
  readonly model: string
  /** Where it stands. */
  readonly from: string
  readonly tokens: number
  readonly input?: { readonly messages: ReadonlyArray<Message>; readonly tools?: ReadonlyArray<ToolDefinition> }
  readonly output?: string
}

const COOKBOOK = "OpenAI Cookbook, How to count tokens with tiktoken, section 7"
const FORUM = "github.com/hihihowru/forum_autoposter, testing-gpt/gpt_model_test_report_20251014_234806.md"
const SQL = "github.com/traceloop/openllmetry, cassettes/test_agents/test_agent_with_query_tool.yaml"

const weather: ReadonlyArray<ToolDefinition> = [
  {
    name: "get_current_weather",
    description: "Get the current weather in a given location",
    parameters: {
      type: "object",
      properties: {
        location: { type: "string", description: "The city and state, e.g. San Francisco, CA" },
        unit: { type: "string", description: "The unit of temperature to return", enum: ["celsius", "fahrenheit"] }
      },
      required: ["location"]
    }
  }
]

const asked: ReadonlyArray<Message> = [
  { role: "system", content: "You are a helpful assistant that can answer to questions about the weather." },
  { role: "user", content: "What's the weather like in San Francisco?" }
]

const series: ReadonlyArray<Message> = [
  { role: "system", content: "You are a helpful assistant." },
  { role: "user", content: "Who won the world series in 2020?" },
  { role: "assistant", content: "The Los Angeles Dodgers won the World Series in 2020.", tool_calls: [] },
  { role: "user", content: "Where was it played?" }
]

const queried =
  "Given an input question, synthesize a response from the query results.\n" +
  "Query: SELECT city, MAX(population) FROM city_stats\nSQL: SELECT city_name, MAX(population) FROM city_stats\n" +
  "SQL Response: [('Tokyo', 13960000)]\nResponse: "

const chinese = (model: string, tokens: number, output: string): Recorded => ({
  kind: "Chinese",
  model,
  from: FORUM,
  tokens,
  output
})

export const recorded: ReadonlyArray<Recorded> = [
  { kind: "English", model: "gpt-4o", from: COOKBOOK, tokens: 101, input: { messages: asked, tools: weather } },
  { kind: "English", model: "gpt-4", from: COOKBOOK, tokens: 105, input: { messages: asked, tools: weather } },
  {
    kind: "English",
    model: "gpt-3.5-turbo-0125",
    from: "github.com/mnitchie/openai_playground, src/02.py",
    tokens: 53,
    input: { messages: series }
  },
  {
    kind: "English",
    model: "gpt-4o-mini-2024-07-18",
    from: "github.com/rileyeaton-ubc/SkySage, app/config/ai_generation_sample.py",
    tokens: 79,
    output:
      "On Tuesday, we can expect a chilly day with a high temperature reaching around 10°C, while the low will dip " +
      "down to -2°C. The average temperature for the day stands at a cool 5°C. Additionally, anticipate a significant " +
      "amount of precipitation, approximately 30mm, so it's advisable to keep an umbrella handy. Overall, a rather " +
      "wet and brisk day is in store!"
  },
  chinese(
    "gpt-4",
    67,
    "股票投資是購買公司的部分所有權，期望從該公司的盈利或股價上升中獲利。股東可能會收到股息或資本增值的回報。"
  ),
  chinese("gpt-4-0613", 61, "股票投資是投資者購買公司的股份，期望透過股價上升或分紅獲得回報，同時也承擔可能的風險。"),
  chinese(
    "gpt-4-turbo",
    78,
    "股票投資是指購買公司的股份，成為其部分所有者，以期望透過股票價格上漲和分紅獲得回報。此類投資涉及風險和潛在利益。"
  ),
  chinese(
    "gpt-3.5-turbo",
    92,
    "股票投資是指購買公司股份的行為，以期望股價上升賺取利潤。投資者可以獲得股息或賣出股票獲利。股票投資風險高，但報酬也可能相對較高。"
  ),
  chinese("gpt-4o", 34, "股票投資是購買公司股份以分享其盈利和增長，投資者可通過股價上漲及股息獲利。"),
  chinese(
    "gpt-4o-mini",
    50,
    "股票投資是指購買公司股票，以期望在公司增值或獲利分紅中獲得回報的行為。投資者透過股票市場參與企業的成長與風險。"
  ),
  chinese(
    "gpt-4o-mini-2024-07-18",
    41,
    "股票投資是購買公司股票以獲得潛在資本增值和股息收益的過程，投資者藉此參與公司成長與盈利。"
  ),
  chinese("gpt-4.1", 32, "股票投資是指購買公司股票，成為股東，並期待公司成長帶來股價上漲或分紅收益。"),
  {
    kind: "code",
    model: "gpt-3.5-turbo",
    from: SQL,
    tokens: 63,
    input: { messages: [{ role: "user", content: queried }] }
  },
  {
    kind: "code",
    model: "gpt-3.5-turbo",
    from: SQL,
    tokens: 68,
    output:
      "SELECT city_name, MAX(population) FROM city_stats\nSQLResult: \ncity_name | MAX(population)\n" +
      "Paris     | 2245000\nTokyo     | 13929286\nNew York  | 8175133\n" +
      "Answer: The city with the highest population is Tokyo with 13,929,286 people."
  }
]
