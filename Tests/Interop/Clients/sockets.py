"""One script for every WebSocket client: sockets.py LIBRARY HOST… [--say TEXT]. Prints what it hears, one line each.

Each host is talked to over wss and over ws. With --say, the third message is that text.
"""
import argparse
import asyncio
import hashlib

parser = argparse.ArgumentParser()
parser.add_argument("library")
parser.add_argument("hosts", nargs="+")
parser.add_argument("--say", default="grüße 🙂")
options = parser.parse_args()
OCTETS = hashlib.sha512(b"client").digest() * 4000


def show(message):
    data = message.encode() if isinstance(message, str) else bytes(message)
    print(type(message).__name__, len(data), hashlib.sha256(data).hexdigest()[:16], data[:40], flush=True)


def script():
    """What is said, one after the other; an answer is awaited after each."""
    yield "hello"
    yield b"\x00\x01\xff"
    yield options.say
    yield '{"user": "ada", "password": "json-secret-9876"}'
    yield "ping"
    yield "split"
    yield "big"
    yield OCTETS
    yield ""


async def use_websockets(url):
    import websockets
    from websockets.asyncio.client import connect

    try:
        async with connect(url + "/deny"):
            pass
    except websockets.InvalidStatus as error:
        print(error.response.status_code, error.response.body)
    async with connect(url + "/chat", subprotocols=["chat.v1", "chat.v2"]) as socket:
        print(socket.subprotocol, [extension.name for extension in socket.protocol.extensions])
        try:
            show(await socket.recv())
            for message in script():
                await socket.send(message)
                show(await socket.recv())
            # A message in four fragments.
            await socket.send(["f", "our", "", " parts"])
            show(await socket.recv())
            await socket.send("bye")
            await socket.recv()
        except websockets.ConnectionClosed as error:
            print("closed", error.rcvd.code, error.rcvd.reason)
    # This time the client closes.
    async with connect(url + "/short", subprotocols=["chat.v2"]) as socket:
        show(await socket.recv())
        await (await socket.ping(b"x"))
        await socket.close(4000, "that is all")
        print("closed", socket.close_code)


async def use_aiohttp(url):
    import aiohttp

    async with aiohttp.ClientSession(trust_env=True) as session:
        try:
            async with session.ws_connect(url + "/deny"):
                pass
        except aiohttp.WSServerHandshakeError as error:
            print(error.status)
        async with session.ws_connect(url + "/chat", protocols=["chat.v1", "chat.v2"], compress=15) as socket:
            print(socket.protocol, socket.compress)
            show((await socket.receive()).data)
            for message in [*script(), "bye"]:
                await (socket.send_str(message) if isinstance(message, str) else socket.send_bytes(message))
                said = await socket.receive()
                if said.type == aiohttp.WSMsgType.CLOSE:
                    print("closed", said.data, said.extra)
                    break
                show(said.data)
        async with session.ws_connect(url + "/short", protocols=["chat.v2"]) as socket:
            show((await socket.receive()).data)
            await socket.ping(b"x")
            await socket.close(code=4000, message=b"that is all")
            print("closed", socket.close_code)


async def main():
    for host in options.hosts:
        for scheme in ["wss", "ws"]:
            await asyncio.wait_for(globals()["use_" + options.library](f"{scheme}://{host}"), 60)


asyncio.run(main())
