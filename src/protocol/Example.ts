/**
 * A whole client in ten lines, as the reference page shows it, for each transport. Owns: the text. Invariant: it runs as
 * it stands, with nothing but what Node or Python brings (a test takes it from the page and does so).
 */

export const tcpExample = String.raw`import { connect } from "node:net"
let [socket, rest] = [connect(8080, "127.0.0.1").setEncoding("utf8"), ""]
socket.on("data", (data) => {
  const lines = (rest + data).split("\n")
  rest = lines.pop()
  for (const { type, content } of lines.map((line) => JSON.parse(line)))
    if (type === "text_delta") process.stdout.write(content)
    else if (/^task_(completed|canceled|failed)$/.test(type)) socket.end()
})
socket.write('{"type":"prompt","content":"hello"}\n')`

export const webSocketExample = String.raw`const socket = new WebSocket("ws://127.0.0.1:8081/ws")
socket.onopen = () => socket.send('{"type":"prompt","content":"hello"}')
socket.onmessage = ({ data }) => {
  const { type, content } = JSON.parse(data)
  if (type === "text_delta") process.stdout.write(content)
  if (/^task_(completed|canceled|failed)$/.test(type)) socket.close()
}`

export const pythonExample = String.raw`import json, socket
connection = socket.create_connection(("127.0.0.1", 8080))
connection.sendall(b'{"type":"prompt","content":"hello"}\n')
for line in connection.makefile("rb"):
    event = json.loads(line)
    if event["type"] == "text_delta":
        print(event["content"], end="", flush=True)
    if event["type"] in ("task_completed", "task_canceled", "task_failed"):
        break`
