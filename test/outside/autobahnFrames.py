"""Frames that break the rules, by autobahn: prints the code with which the server closed, for each kind."""

import asyncio
import json
import sys

import txaio

loop = asyncio.new_event_loop()
asyncio.set_event_loop(loop)
txaio.use_asyncio()
txaio.config.loop = loop

from autobahn.asyncio.websocket import WebSocketClientFactory, WebSocketClientProtocol  # noqa: E402

PING = json.dumps({"type": "ping"}).encode()


def reserved(protocol):
    protocol.sendFrame(opcode=3, payload=PING)


def unmasked(protocol):
    protocol.maskClientFrames = False
    protocol.sendFrame(opcode=1, payload=PING)


def bad_utf8(protocol):
    protocol.sendFrame(opcode=1, payload=b'{"type":"prompt","content":"\xff\xfe"}')


def bad_utf8_in_pieces(protocol):
    protocol.beginMessage(isBinary=False)
    protocol.sendMessageFrame(b'{"type":"prompt","content":"\xed')
    protocol.sendMessageFrame(b'\xa0\x80"}')
    protocol.endMessage()


def bad_utf8_binary(protocol):
    protocol.sendFrame(opcode=2, payload=b'{"type":"prompt","content":"\xc0\xaf"}')


def continuation_of_nothing(protocol):
    protocol.sendFrame(opcode=0, payload=PING)


def long_control(protocol):
    protocol.sendFrame(opcode=9, payload=b"x" * 126)


def control_in_pieces(protocol):
    protocol.sendFrame(opcode=9, payload=b"x", fin=False)


def reserved_bit(protocol):
    protocol.sendFrame(opcode=1, payload=PING, rsv=4)


def bad_close(protocol):
    protocol.sendFrame(opcode=8, payload=b"\x03\xec")


KINDS = [
    reserved,
    unmasked,
    bad_utf8,
    bad_utf8_in_pieces,
    bad_utf8_binary,
    continuation_of_nothing,
    long_control,
    control_in_pieces,
    reserved_bit,
    bad_close,
]


async def one(host, port, break_it):
    done = loop.create_future()

    class Client(WebSocketClientProtocol):
        def onOpen(self):
            break_it(self)

        def onClose(self, wasClean, code, reason):
            if not done.done():
                done.set_result(self.remoteCloseCode)

    factory = WebSocketClientFactory(f"ws://{host}:{port}/ws")
    factory.protocol = Client
    transport, _ = await loop.create_connection(factory, host, port)
    try:
        return await asyncio.wait_for(done, 20)
    except asyncio.TimeoutError:
        return "still open"
    finally:
        transport.close()


async def main(host, port):
    print(json.dumps({kind.__name__: await one(host, port, kind) for kind in KINDS}))


loop.run_until_complete(main(sys.argv[1], int(sys.argv[2])))
