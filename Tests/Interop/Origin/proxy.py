"""A forward proxy on loopback for the interop tests, by pproxy: HTTP and SOCKS5 on one port, with user and password.

    proxy.py URI --ports FILE --log FILE [--certificate C --key K]

URI is pproxy's, as http+socks5://127.0.0.1:0/#user:password, with +ssl for TLS. The port goes to --ports as JSON, one
line per tunnel or request ("http 127.0.0.1:5000 -> api.example.test:443") to --log.
"""
import argparse
import asyncio
import json
import os

import pproxy

parser = argparse.ArgumentParser()
parser.add_argument("uri")
for name in ["ports", "log", "certificate", "key"]:
    parser.add_argument("--" + name)
options = parser.parse_args()


def log(line):
    with open(options.log, "a", encoding="utf-8") as file:
        file.write(line + "\n")


async def main():
    server = pproxy.Server(options.uri)
    if options.certificate:
        server.sslserver.load_cert_chain(options.certificate, options.key)
    handler = await server.start_server({"rserver": [pproxy.Connection("direct://")], "verbose": log})
    port = handler.sockets[0].getsockname()[1]
    with open(options.ports + ".new", "w", encoding="utf-8") as file:
        json.dump({"proxy": port}, file)
    os.rename(options.ports + ".new", options.ports)
    await asyncio.Event().wait()


asyncio.run(main())
