"""A client of the package `websockets`, not written here: prints what it saw as one JSON object."""

import asyncio
import json
import sys

import websockets


async def until(socket, *types):
    events = []
    while True:
        event = json.loads(await socket.recv())
        events.append(event)
        if event["type"] in types:
            return events


async def main(url):
    seen = {}
    async with websockets.connect(url) as socket:
        await socket.send(json.dumps({"type": "prompt", "content": "hello"}))
        events = await until(socket, "task_completed", "task_failed", "error")
        seen["last"] = events[-1]["type"]
        seen["deltas"] = "".join(e["content"] for e in events if e["type"] == "text_delta")
        seen["completed"] = "".join(e["content"] for e in events if e["type"] == "text_completed")
        await asyncio.wait_for(await socket.ping(b"are you there"), 20)
        seen["pong"] = True
        await socket.send(json.dumps({"type": "ping", "nonce": "one"}).encode())
        seen["binary"] = (await until(socket, "pong", "error"))[-1].get("nonce")
        text = json.dumps({"type": "ping", "nonce": "in pieces"})
        await socket.send(text[i : i + 5] for i in range(0, len(text), 5))
        seen["fragmented"] = (await until(socket, "pong", "error"))[-1].get("nonce")
    seen["closed"] = socket.close_code
    async with websockets.connect(url) as socket:
        await socket.send(json.dumps({"type": "ping", "nonce": "x" * 2_000_000}))
        try:
            while True:
                await asyncio.wait_for(socket.recv(), 20)
        except websockets.ConnectionClosed:
            seen["large"] = socket.close_code
    async with websockets.connect(url, compression="deflate") as socket:
        await socket.send(json.dumps({"type": "ping", "nonce": "deflate"}))
        seen["deflate"] = (await until(socket, "pong", "error"))[-1].get("nonce")
    print(json.dumps(seen))


asyncio.run(main(sys.argv[1]))
