// The least program that asks a model once and prints the answer as it comes: the floor of `claw run`.
const response = await fetch(`${process.env.OPENAI_BASE_URL}/chat/completions`, {
  method: "POST",
  headers: { "content-type": "application/json", authorization: "Bearer bench" },
  body: JSON.stringify({ model: "text:n=1", stream: true, messages: [{ role: "user", content: "Begin." }] })
})
let rest = ""
for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
  const lines = (rest + text).split("\n")
  rest = lines.pop() ?? ""
  for (const line of lines) {
    if (!line.startsWith("data: {")) continue
    process.stdout.write(JSON.parse(line.slice(6)).choices[0]?.delta.content ?? "")
  }
}
process.stdout.write("\n")
