"""An HTTP/2 origin for the interop tests: an application on hypercorn, over TLS with ALPN h2 and http/1.1.

Usage: http2_origin.py --certificate FILE --key FILE --ports FILE
"""
import argparse
import asyncio
import json
import os
import socket

from hypercorn.asyncio import serve
from hypercorn.config import Config


async def websocket(scope, receive, send):
    """Says what it is spoken to in, then says back what it hears, until "bye"."""
    await receive()
    if scope["path"] == "/deny":
        return await send({"type": "websocket.close"})
    chosen = "chat.v2" if "chat.v2" in scope["subprotocols"] else None
    await send({"type": "websocket.accept", "subprotocol": chosen})
    await send({"type": "websocket.send", "text": "welcome over " + scope["http_version"]})
    while True:
        message = await receive()
        if message["type"] != "websocket.receive":
            return
        if message.get("text") == "bye":
            return await send({"type": "websocket.close", "code": 3001, "reason": "done"})
        await send({"type": "websocket.send", "text": message.get("text"), "bytes": message.get("bytes")})


async def application(scope, receive, send):
    if scope["type"] == "websocket":
        return await websocket(scope, receive, send)
    if scope["type"] != "http":
        return
    body = b""
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return
        body += message.get("body", b"")
        if not message.get("more_body"):
            break
    headers = [(b"content-type", b"text/plain"), (b"x-origin", b"hypercorn")]
    path = scope["path"]
    if path == "/stream":
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        for number in range(5):
            await send({"type": "http.response.body", "body": b"part %d\n" % number, "more_body": True})
        await send({"type": "http.response.body", "body": b""})
        return
    answer = b"%s %s %s %d\n" % (scope["http_version"].encode(), scope["method"].encode(), path.encode(), len(body))
    if path == "/big":
        answer = b"0123456789abcdef" * 65536
    headers.append((b"content-length", b"%d" % len(answer)))
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": answer})


def main():
    parser = argparse.ArgumentParser()
    for name in ["certificate", "key", "ports"]:
        parser.add_argument("--" + name, required=True)
    options = parser.parse_args()
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(128)
    config = Config()
    config.bind = ["fd://%d" % listener.fileno()]
    config.certfile = options.certificate
    config.keyfile = options.key
    config.accesslog = None
    config.errorlog = "-"
    with open(options.ports + ".new", "w") as file:
        json.dump({"https": listener.getsockname()[1]}, file)
    os.rename(options.ports + ".new", options.ports)
    asyncio.run(serve(application, config))


main()
