"""Sends raw bytes through the proxy's tunnel and prints the raw bytes that come back, with how the connection ended.

    raw.py HOST PORT tls|plain < REQUEST-BYTES
"""
import os
import socket
import ssl
import sys
import urllib.parse

host, port, kind = sys.argv[1], sys.argv[2], sys.argv[3]
proxy = urllib.parse.urlsplit(os.environ["https_proxy"])
connection = socket.create_connection((proxy.hostname, proxy.port), timeout=60)
connection.sendall(f"CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
head = b""
while not head.endswith(b"\r\n\r\n"):
    head += connection.recv(1) or sys.exit("the proxy closed during CONNECT")
if b" 200" not in head.split(b"\r\n")[0]:
    sys.exit(f"CONNECT was refused: {head!r}")
if kind == "tls":
    connection = ssl.create_default_context(cafile=os.environ["SSL_CERT_FILE"]).wrap_socket(connection, server_hostname=host)
connection.sendall(sys.stdin.buffer.read())
end = "closed"
while True:
    try:
        piece = connection.recv(65536)
    except (ConnectionResetError, ssl.SSLError) as error:
        end = "reset" if isinstance(error, ConnectionResetError) else "cut"
        break
    if not piece:
        break
    sys.stdout.buffer.write(piece)
sys.stdout.buffer.write(f"\n-- {end}\n".encode())
