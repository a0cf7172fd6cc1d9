"""An HTTPS and HTTP origin on loopback for the interop tests: standard library only.

    origin.py --certificate C --key K [--git FOLDER] --log FILE --ports FILE [--extra NAME=CERT,KEY ...]

It writes its ports as JSON to --ports (atomically) once it accepts, and one line per connection ("connection https") and per
request ("request https GET /json") to --log, so that a test can prove that a replay never came here.
"""
import argparse
import base64
import gzip
import hashlib
import json
import os
import socket
import socketserver
import ssl
import struct
import sys
import threading
import time
import urllib.parse
import zlib
from http.server import BaseHTTPRequestHandler

LOG_LOCK = threading.Lock()
OPTIONS = None
SERVED = [0]
COUNTING = threading.Lock()


def log(line):
    with LOG_LOCK:
        with open(OPTIONS.log, "a", encoding="utf-8") as file:
            file.write(line + "\n")


def body_of(count, seed):
    """`count` bytes that depend on the seed only; every block differs from its neighbours."""
    blocks, size = [], 0
    index = 0
    while size < count:
        block = hashlib.sha512(f"{seed}/{index}".encode()).digest() * 64
        blocks.append(block)
        size += len(block)
        index += 1
    return b"".join(blocks)[:count]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "Origin"
    sys_version = ""
    timeout = 120

    # -- connection ------------------------------------------------------------------------------------------------

    def setup(self):
        log(f"connection {self.server.label}")
        if self.server.context is not None:
            self.request.settimeout(60)
            self.request = self.server.context.wrap_socket(self.request, server_side=True)
        super().setup()
        self.request.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def finish(self):
        try:
            super().finish()
            if isinstance(self.request, ssl.SSLSocket) and not getattr(self, "abrupt", False):
                self.request.settimeout(5)
                self.request.unwrap()
        except (OSError, ValueError):
            pass

    def handle(self):
        try:
            super().handle()
        except (OSError, ssl.SSLError):
            pass

    def log_message(self, *arguments):
        pass

    def version_string(self):
        return "Origin"

    def parse_request(self):
        good = super().parse_request()
        if good:
            with COUNTING:
                SERVED[0] += 1
                self.served = SERVED[0]
            log(f"request {self.server.label} {self.command} {self.path}")
        return good

    # -- answers ---------------------------------------------------------------------------------------------------

    def raw(self, head, body=b"", flush=True):
        """Writes a head line by line as given (bytes), then the body unless the request was HEAD."""
        self.wfile.write(b"\r\n".join(head) + b"\r\n\r\n")
        if self.command != "HEAD":
            self.wfile.write(body)
        if flush:
            self.wfile.flush()

    def answer(self, status, body=b"", kind="application/octet-stream", extra=()):
        head = [f"HTTP/1.1 {status}".encode(), b"Date: " + self.date_time_string().encode(), b"Server: Origin"]
        if status.split()[0] not in ("204", "304"):
            head.append(b"Content-Type: " + kind.encode())
            head.append(b"Content-Length: " + str(len(body)).encode())
        head.extend(extra)
        self.raw(head, body)

    def json(self, value, extra=()):
        self.answer("200 OK", json.dumps(value).encode() + b"\n", "application/json", extra)

    def chunk(self, data, extension=b""):
        self.wfile.write(f"{len(data):x}".encode() + extension + b"\r\n" + data + b"\r\n")
        self.wfile.flush()

    def drop(self):
        """Ends the connection by a reset."""
        self.abrupt = True
        self.close_connection = True
        self.request.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        raw = socket.socket(fileno=self.request.detach())
        raw.close()

    # -- requests --------------------------------------------------------------------------------------------------

    def request_body(self):
        """Yields the request's body in pieces, whatever its framing."""
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            while True:
                size = int(self.rfile.readline().split(b";")[0], 16)
                if size == 0:
                    while self.rfile.readline().strip():
                        pass
                    return
                yield self.rfile.read(size)
                self.rfile.readline()
        left = int(self.headers.get("Content-Length", 0))
        while left > 0:
            piece = self.rfile.read(min(left, 1 << 16))
            if not piece:
                return
            left -= len(piece)
            yield piece

    def dispatch(self):
        url = urllib.parse.urlsplit(self.path)
        query = urllib.parse.parse_qs(url.query, keep_blank_values=True)
        first = url.path.strip("/").split("/")
        name = "on_" + first[0].replace("-", "_")
        handler = getattr(self, name, None)
        if handler is None:
            for _ in self.request_body():
                pass
            self.answer("404 Not Found", b"no such resource\n", "text/plain")
            return
        handler(first[1:], lambda key, default: query.get(key, [default])[0])

    do_GET = do_POST = do_PUT = do_HEAD = do_DELETE = do_PATCH = do_OPTIONS = dispatch

    def on_json(self, rest, query):
        for _ in self.request_body():
            pass
        self.json({"path": self.path, "method": self.command, "served": self.served})

    def on_bytes(self, rest, query):
        data = body_of(int(rest[0]), query("seed", "0"))
        self.answer("200 OK", data)

    def on_whoami(self, rest, query):
        self.json([value for part in self.request.getpeercert()["subject"] for _, value in part])

    def on_echo(self, rest, query):
        data = b"".join(self.request_body())
        self.answer("200 OK", data, self.headers.get("Content-Type", "application/octet-stream"))

    def on_inspect(self, rest, query):
        data = b"".join(self.request_body())
        self.json({"method": self.command, "target": self.path, "version": self.request_version,
                   "headers": [[name, value] for name, value in self.headers.items()],
                   "length": len(data), "served": SERVED[0]})

    def on_upload(self, rest, query):
        digest, count = hashlib.sha256(), 0
        for piece in self.request_body():
            digest.update(piece)
            count += len(piece)
        self.json({"sha256": digest.hexdigest(), "bytes": count, "served": SERVED[0]})

    def on_chunks(self, rest, query):
        self.raw([b"HTTP/1.1 200 OK", b"Content-Type: application/octet-stream", b"Transfer-Encoding: chunked"])
        if self.command == "HEAD":
            return
        for index, size in enumerate(query("sizes", "1,10,100").split(",")):
            self.chunk(body_of(int(size), f"chunk{index}"))
        if query("trailer", ""):
            self.wfile.write(b"0\r\nX-Digest: " + query("trailer", "").encode() + b"\r\n\r\n")
        else:
            self.wfile.write(b"0\r\n\r\n")
        self.wfile.flush()

    def on_sse(self, rest, query):
        self.raw([b"HTTP/1.1 200 OK", b"Content-Type: text/event-stream", b"Cache-Control: no-cache",
                  b"Transfer-Encoding: chunked"])
        for index in range(int(query("events", "3"))):
            self.chunk(f"id: {index}\ndata: event {index} of {SERVED[0]}\n\n".encode())
            time.sleep(int(query("pause", "5")) / 1000)
        self.wfile.write(b"0\r\n\r\n")
        self.wfile.flush()

    def on_ticks(self, rest, query):
        """Events with the moment at which each was sent, by the clock that all processes share."""
        self.raw([b"HTTP/1.1 200 OK", b"Content-Type: text/event-stream", b"Transfer-Encoding: chunked"])
        start = time.monotonic()
        for index in range(int(query("events", "200"))):
            time.sleep(max(0, start + index * int(query("pause", "20")) / 1000 - time.monotonic()))
            self.chunk(f'data: {{"n": {index}, "t": {time.monotonic()!r}}}\n\n'.encode())
        self.wfile.write(b"0\r\n\r\n")
        self.wfile.flush()

    def on_etag(self, rest, query):
        if self.headers.get("If-None-Match") == '"v1"':
            self.answer("304 Not Modified", extra=[b'ETag: "v1"'])
        else:
            self.answer("200 OK", b"the first version\n", "text/plain", [b'ETag: "v1"'])

    def on_redirect(self, rest, query):
        left = int(rest[0])
        target = "/json?redirected=1" if left == 0 else f"/redirect/{left - 1}"
        self.answer("302 Found", b"elsewhere\n", "text/plain", [b"Location: " + target.encode()])

    def on_login(self, rest, query):
        """Logs in as sites do: a cookie for the whole domain, and a redirect to an absolute URL."""
        self.answer("302 Found", b"welcome\n", "text/plain", [
            b"Location: " + query("next", "https://api.example.test/inspect").encode(),
            b"Set-Cookie: sid=cookie-value-one; Domain=example.test; Path=/; Secure; HttpOnly; SameSite=None"])

    def on_gzip(self, rest, query):
        text = json.dumps({"text": "one two three " * 200, "served": SERVED[0]}).encode() + b"\n"
        extra = [b"Digest: sha-256=of-the-coded-octets"] if query("digest", "") else []
        self.answer("200 OK", gzip.compress(text), "application/json", [b"Content-Encoding: gzip", *extra])

    def on_deflate(self, rest, query):
        text = json.dumps({"text": "one two three " * 200, "served": SERVED[0]}).encode() + b"\n"
        self.answer("200 OK", zlib.compress(text), "application/json", [b"Content-Encoding: deflate"])

    def on_cookies(self, rest, query):
        self.answer("200 OK", b"three cookies\n", "text/plain", [
            b"Set-Cookie: first=cookie-value-one; Path=/; HttpOnly",
            b"Set-Cookie: second=cookie-value-two; Path=/a; Secure",
            b"Set-Cookie: third=cookie-value-three; Max-Age=60"])

    def on_odd_headers(self, rest, query):
        self.raw([b"HTTP/1.1 200 Fine By Me", b"cONTENT-lENGTH: 4", b"X-Latin: caf\xe9", "X-Utf8: na\u00efve".encode(),
                  b"x-REPEATED: one", b"X-Between: 1", b"x-REPEATED: two", b"X-Empty:", b"content-TYPE: text/plain"],
                 b"odd\n")

    def on_empty(self, rest, query):
        self.raw([b"HTTP/1.1 204 No Content", b"X-Nothing: here"])

    def on_http10(self, rest, query):
        self.raw([b"HTTP/1.0 200 OK", b"Content-Type: text/plain"], b"until the close, request %d\n" % SERVED[0])
        self.close_connection = True

    def on_truncated(self, rest, query):
        sent = body_of(int(query("sent", "100")), "truncated")
        self.raw([b"HTTP/1.1 200 OK", b"Content-Type: application/octet-stream",
                  b"Content-Length: " + query("length", "200").encode()], sent)
        self.close_connection = True

    def on_unfinished(self, rest, query):
        """A chunked answer that ends without its last chunk."""
        self.raw([b"HTTP/1.1 200 OK", b"Content-Type: application/octet-stream", b"Transfer-Encoding: chunked"])
        self.chunk(body_of(int(query("sent", "100")), "unfinished"))
        self.close_connection = True

    def on_reset(self, rest, query):
        sent = body_of(int(query("sent", "100")), "reset")
        self.raw([b"HTTP/1.1 200 OK", b"Content-Type: application/octet-stream", b"Content-Length: 100000"], sent)
        time.sleep(0.2)  # lets the peer read what was sent before the reset overtakes it
        self.drop()

    def on_reset_early(self, rest, query):
        """A reset before one byte of the answer."""
        for _ in self.request_body():
            pass
        self.drop()

    def on_slow(self, rest, query):
        time.sleep(int(query("ms", "300")) / 1000)
        self.json({"path": self.path, "served": SERVED[0]})

    def on_status(self, rest, query):
        self.answer(f"{rest[0]} Some Reason", b"status\n", "text/plain")

    def on_secret(self, rest, query):
        for _ in self.request_body():
            pass
        self.json({"user": "ada", "password": "hunter2-in-a-body", "access_token": "tok-response-4711", "served": SERVED[0]},
                  [b"Set-Cookie: sid=cookie-secret-0815; Path=/"])

    # -- odd peers -------------------------------------------------------------------------------------------------

    def on_malformed(self, rest, query):
        """Answers that no client may take for good; the connection stays open, as an attacker's would."""
        ok = b"HTTP/1.1 200 OK\r\n"
        self.wfile.write({
            "two-lengths": ok + b"Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcde",
            "length-and-chunked": ok + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
            "negative-length": ok + b"Content-Length: -1\r\n\r\nabc",
            "odd-length": ok + b"Content-Length: 3x\r\n\r\nabc",
            "odd-coding": ok + b"Transfer-Encoding: xchunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
            "chunked-twice": ok + b"Transfer-Encoding: chunked, chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
            "space-before-colon": ok + b"X-A : b\r\nContent-Length: 3\r\n\r\nabc",
            "nul-in-value": ok + b"X-A: b\0c\r\nContent-Length: 3\r\n\r\nabc",
            "bare-cr": ok + b"X-A: b\rX-B: c\r\nContent-Length: 3\r\n\r\nabc",
            "no-colon": ok + b"nonsense\r\nContent-Length: 3\r\n\r\nabc",
            "status-of-two-digits": b"HTTP/1.1 20 OK\r\nContent-Length: 3\r\n\r\nabc",
            "status-zero": b"HTTP/1.1 000 OK\r\nContent-Length: 3\r\n\r\nabc",
            "not-http": b"220 mail.example.test ESMTP\r\n250 ok\r\n\r\n",
            "http-0.9": b"<html>hello</html>\r\n\r\n",
            "unasked-101": b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nabc",
            "endless-1xx": b"HTTP/1.1 102 Processing\r\n\r\n" * 2000,
            "endless-header": ok + b"X-Long: " + b"a" * 2_000_000 + b"\r\nContent-Length: 3\r\n\r\nabc",
            "many-headers": ok + b"X-A: b\r\n" * 20_000 + b"Content-Length: 3\r\n\r\nabc",
        }[rest[0]])
        self.wfile.flush()
        self.request.settimeout(30)
        self.rfile.read(1)  # until the proxy hangs up
        self.close_connection = True

    def on_badchunk(self, rest, query):
        """A head that is good and chunks that are not."""
        self.raw([b"HTTP/1.1 200 OK", b"Transfer-Encoding: chunked"])
        self.chunk(b"good")
        self.wfile.write({"size": b"zz\r\nabc\r\n", "long": b"3\r\nabcdef\r\n", "overflow": b"ffffffffffffffff1\r\nabc\r\n"}[rest[0]])
        self.wfile.flush()
        self.request.settimeout(30)
        self.rfile.read(1)
        self.close_connection = True

    def on_extra(self, rest, query):
        """A whole second answer that nobody asked for, behind the first."""
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfirst"
                         b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison")
        self.wfile.flush()

    def on_early(self, rest, query):
        """A final answer before the request's body has been read."""
        self.answer("413 Content Too Large", b"too large\n", "text/plain", [b"Connection: close"])
        self.close_connection = True

    def on_vanish(self, rest, query):
        """Promises keep-alive and closes."""
        self.json({"path": self.path, "served": SERVED[0]})
        self.close_connection = True

    def on_hints(self, rest, query):
        self.wfile.write(b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n")
        self.wfile.flush()
        self.json({"path": self.path, "served": SERVED[0]})

    def on_split_secret(self, rest, query):
        """A secret that no single chunk holds."""
        self.raw([b"HTTP/1.1 200 OK", b"Content-Type: application/json", b"Transfer-Encoding: chunked"])
        for piece in [b'{"user": "ada", "access_', b'token": "tok-resp', b"onse-47", b'11", "n": 1}\n']:
            self.chunk(piece)
        self.wfile.write(b"0\r\n\r\n")

    def on_gzip_secret(self, rest, query):
        text = json.dumps({"password": "hunter2-in-a-body", "text": "one two three " * 50}).encode()
        self.answer("200 OK", gzip.compress(text), "application/json", [b"Content-Encoding: gzip"])

    def on_vault(self, rest, query):
        """Answers that hold secrets where programs put them; `mark` makes those of one run different from another's."""
        for _ in self.request_body():
            pass
        mark = query("mark", "1")
        secret = f"hush-%s-{mark}".__mod__
        kind = rest[0]
        if kind == "json":
            value = {"a": [{"b": {"refreshToken": secret("deep"), "n": 1}}], "clone": f"https://ann:{secret('clone')}@git.test/r.git"}
            self.json(value, [f"Set-Cookie: sid={secret('set-cookie')}; Path=/; HttpOnly".encode(),
                              f"Location: https://ann:{secret('location')}@b.test/".encode(),
                              f"X-Auth-Token: {secret('answer-header')}".encode()])
        elif kind == "packed":
            inner = gzip.compress(json.dumps({"user": "ann", "password": secret("packed")}).encode(), mtime=0)
            text = json.dumps({"outer": json.dumps({"blob": base64.b64encode(inner).decode()})}).encode()
            self.answer("200 OK", gzip.compress(text), "application/json", [b"Content-Encoding: gzip"])
        elif kind == "sse":
            token = f"ghp_hush{mark}abcdefghijklmnopqrstuvwxyz01234567"[:40]
            events = [f'data: {{"note": "{token}"}}\n\n'.encode()]
            for piece in [token[:9], token[9:20], token[20:33], token[33:]]:
                events.append(('data: {"choices":[{"index":0,"delta":{"content":"%s"}}]}\n\n' % piece).encode())
            self.raw([b"HTTP/1.1 200 OK", b"Content-Type: text/event-stream", b"Transfer-Encoding: chunked"])
            # The borders of the chunks lie within the first token, and around the pieces of the second.
            for chunk in [events[0][:19], events[0][19:30], events[0][30:], *events[1:]]:
                self.chunk(chunk)
                self.wfile.flush()
                time.sleep(0.01)
            self.wfile.write(b"0\r\n\r\n")
        elif kind == "big":
            rows = ",".join('{"row": %d, "text": "nothing to see"}' % n for n in range(4000))
            self.answer("200 OK", f'{{"rows": [{rows}], "client_secret": "{secret("big")}"}}'.encode(), "application/json")
        elif kind == "partial":
            self.raw([b"HTTP/1.1 200 OK", b"Content-Type: application/json", b"Content-Length: 5000"],
                     f'{{"access_token": "{secret("partial")}", "rest": "'.encode())
            # A reset may throw away what the peer has not read yet.
            time.sleep(0.2)
            self.drop()
        else:
            self.json({"path": "vault"})

    def on_git(self, rest, query):
        """The dumb HTTP protocol: plain files below --git."""
        path = os.path.normpath(os.path.join(OPTIONS.git or "", *rest))
        if not OPTIONS.git or not path.startswith(OPTIONS.git) or not os.path.isfile(path):
            self.answer("404 Not Found", b"", "text/plain")
            return
        kind = "text/html" if path.endswith(".html") else "application/octet-stream"
        with open(path, "rb") as file:
            self.answer("200 OK", file.read(), kind)


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 512

    def __init__(self, label, context):
        self.label, self.context = label, context
        super().__init__(("127.0.0.1", 0), Handler)

    def handle_error(self, request, client_address):
        kind, error, _ = sys.exc_info()
        log(f"error {self.label} {kind.__name__} {error}")


def context(certificate, key):
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(certificate, key)
    made.set_alpn_protocols(["http/1.1"])
    return made


def main():
    global OPTIONS
    parser = argparse.ArgumentParser()
    parser.add_argument("--certificate", required=True)
    parser.add_argument("--key", required=True)
    parser.add_argument("--git", default="")
    parser.add_argument("--log", required=True)
    parser.add_argument("--ports", required=True)
    parser.add_argument("--mutual", default="", help="CA: two more TLS listeners that want a client certificate of it")
    parser.add_argument("--extra", action="append", default=[], help="NAME=CERT,KEY: one more TLS listener")
    OPTIONS = parser.parse_args()
    open(OPTIONS.log, "a").close()
    servers = {"https": Server("https", context(OPTIONS.certificate, OPTIONS.key)), "http": Server("http", None)}
    for extra in OPTIONS.extra:
        name, files = extra.split("=", 1)
        servers[name] = Server(name, context(*files.split(",")))
    for name, version in [("mutual", ssl.TLSVersion.TLSv1_3), ("mutual12", ssl.TLSVersion.TLSv1_2)]:
        if OPTIONS.mutual:
            strict = context(OPTIONS.certificate, OPTIONS.key)
            strict.load_verify_locations(OPTIONS.mutual)
            strict.verify_mode, strict.minimum_version, strict.maximum_version = ssl.CERT_REQUIRED, version, version
            servers[name] = Server(name, strict)
    for server in servers.values():
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 5}, daemon=True).start()
    ports = {name: server.server_address[1] for name, server in servers.items()}
    with open(OPTIONS.ports + ".new", "w") as file:
        json.dump(ports, file)
    os.rename(OPTIONS.ports + ".new", OPTIONS.ports)
    print(json.dumps(ports), flush=True)
    threading.Event().wait()


main()
