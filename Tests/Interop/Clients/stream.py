"""Reads one chunked stream through the proxy's tunnel and prints, as JSON, what came when.

    stream.py URL

Each chunk is an event `data: {"n": NUMBER, "t": SECONDS}` with the time at which the origin sent it, on the clock that
all processes of this machine share.
"""
import json
import os
import socket
import ssl
import sys
import time
import urllib.parse

url = urllib.parse.urlsplit(sys.argv[1])
proxy = urllib.parse.urlsplit(os.environ["https_proxy"])
connection = socket.create_connection((proxy.hostname, proxy.port), timeout=60)
connection.sendall(f"CONNECT {url.hostname}:443 HTTP/1.1\r\nHost: {url.hostname}\r\n\r\n".encode())
head = b""
while not head.endswith(b"\r\n\r\n"):
    head += connection.recv(1) or sys.exit("the proxy closed during CONNECT")
context = ssl.create_default_context(cafile=os.environ["SSL_CERT_FILE"])
stream = context.wrap_socket(connection, server_hostname=url.hostname)
start = time.monotonic()
stream.sendall(f"GET {url.path}?{url.query} HTTP/1.1\r\nHost: {url.hostname}\r\n\r\n".encode())
lines = stream.makefile("rb")
while lines.readline() not in (b"\r\n", b""):
    pass
sizes, came, delays, texts = [], [], [], []
while True:
    size = int(lines.readline(), 16)
    chunk = lines.read(size + 2)[:-2]
    now = time.monotonic()
    if size == 0:
        break
    sizes.append(size)
    texts.append(chunk.decode())
    came.append((now - start) * 1000)
    delays.append((now - json.loads(chunk.split(b"data: ")[1])["t"]) * 1000)
print(json.dumps({"sizes": sizes, "texts": texts, "came": came, "delays": delays,
                  "total": (time.monotonic() - start) * 1000}))
