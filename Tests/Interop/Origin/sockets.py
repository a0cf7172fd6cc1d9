"""WebSocket servers of two libraries on loopback, over TLS and plain, for the interop tests.

    sockets.py --certificate C --key K --ports FILE

Its ports go to --ports as JSON (atomically) once all accept: websockets, websockets-plain, aiohttp, aiohttp-plain. Each
server says "welcome", then answers: a text with itself, octets with themselves, "big" with 300000 octets, "split" with a
message in three fragments, "ping" with a ping and then "ponged" once the pong has come, a JSON object with its number of
members, "bye" with a close frame 3001 "done". The path /deny gets 403.
"""
import argparse
import asyncio
import hashlib
import http
import json
import os
import ssl

import websockets.asyncio.server
from aiohttp import WSMsgType, web

BIG = hashlib.sha512(b"big").digest() * 4688


def answer(message):
    """What is said to a message, unless it asks for something that each library does in its own way."""
    if message == "big":
        return BIG[:300000]
    if isinstance(message, str) and message.startswith("{"):
        return json.dumps({"members": len(json.loads(message))})
    return message


async def websockets_chat(socket):
    await socket.send("welcome")
    async for message in socket:
        if message == "bye":
            return await socket.close(3001, "done")
        if message == "ping":
            await (await socket.ping(b"are you there"))
            await socket.send("ponged")
        elif message == "split":
            await socket.send(["one ", "two ", "three"])
        else:
            await socket.send(answer(message))


def websockets_deny(socket, request):
    if request.path == "/deny":
        return socket.respond(http.HTTPStatus.FORBIDDEN, "not you\n")


async def aiohttp_chat(request):
    if request.path == "/deny":
        return web.Response(status=403, text="not you\n")
    socket = web.WebSocketResponse(protocols=["chat.v2"], autoping=False)
    await socket.prepare(request)
    await socket.send_str("welcome")
    async for message in socket:
        if message.type == WSMsgType.PING:
            await socket.pong(message.data)
        elif message.type == WSMsgType.PONG:
            await socket.send_str("ponged")
        elif message.data == "bye":
            await socket.close(code=3001, message=b"done")
        elif message.data == "ping":
            await socket.ping(b"are you there")
        elif message.data == "split":
            # This library has no way to send fragments.
            await socket.send_str("one two three")
        else:
            said = answer(message.data)
            await (socket.send_str(said) if isinstance(said, str) else socket.send_bytes(said))
    return socket


async def main():
    parser = argparse.ArgumentParser()
    for name in ["certificate", "key", "ports"]:
        parser.add_argument("--" + name, required=True)
    options = parser.parse_args()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(options.certificate, options.key)
    ports = {}
    application = web.Application()
    application.router.add_get("/{path:.*}", aiohttp_chat)
    runner = web.AppRunner(application)
    await runner.setup()
    for suffix, tls in [("", context), ("-plain", None)]:
        server = await websockets.asyncio.server.serve(
            websockets_chat, "127.0.0.1", 0, ssl=tls, subprotocols=["chat.v2"], process_request=websockets_deny)
        ports["websockets" + suffix] = server.sockets[0].getsockname()[1]
        site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=tls)
        await site.start()
        ports["aiohttp" + suffix] = site._server.sockets[0].getsockname()[1]
    with open(options.ports + ".new", "w") as file:
        json.dump(ports, file)
    os.rename(options.ports + ".new", options.ports)
    await asyncio.Event().wait()


asyncio.run(main())
