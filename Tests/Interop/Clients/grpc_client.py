"""A gRPC client for the interop tests; it finds proxy and roots in the environment alone.

Usage: grpc_client.py TARGET secure|insecure CALL…
Calls: say, fail, count, join, talk, unknown, other. Prints what it saw, one line each.
"""
import queue
import sys

import grpc

target, security, calls = sys.argv[1], sys.argv[2], sys.argv[3:]
credentials = grpc.ssl_channel_credentials()
channel = grpc.secure_channel(target, credentials) if security == "secure" else grpc.insecure_channel(target)
LIMIT = 20


def same(octets):
    return octets


def method(name, kind):
    return getattr(channel, kind)("/playhead.test.Chat/" + name, same, same)


def metadata(items):
    return sorted((key, value) for key, value in items or () if key.startswith("x-"))


def say(text=b"hello"):
    answer, call = method("Say", "unary_unary").with_call(text, timeout=LIMIT)
    print("say", answer, metadata(call.initial_metadata()), metadata(call.trailing_metadata()), call.code())


def count():
    print("count", list(method("Count", "unary_stream")(b"5", timeout=LIMIT)))


def join():
    print("join", method("Join", "stream_unary")(iter([b"a", b"b", b"c"]), timeout=LIMIT))


def talk(lines=(b"one", b"two", b"three")):
    # Each line is said only after the answer to the one before has come.
    said = queue.Queue()
    answers = method("Talk", "stream_stream")(iter(said.get, None), timeout=LIMIT)
    for line in lines:
        said.put(line)
        print("talk", next(answers), flush=True)
    said.put(None)
    print("talk", list(answers), answers.code())


def bye():
    # The server ends the call while the client could still talk.
    said = queue.Queue()
    answers = method("Talk", "stream_stream")(iter(said.get, None), timeout=LIMIT)
    said.put(b"bye")
    print("bye", list(answers), answers.code())
    said.put(None)


KNOWN = {
    "say": say, "fail": lambda: say(b"fail"), "count": count, "join": join, "talk": talk, "bye": bye,
    "unknown": lambda: method("Unknown", "unary_unary")(b"", timeout=LIMIT),
    "other": lambda: talk((b"something else",)),
}
for call in calls:
    try:
        KNOWN[call]()
    except grpc.RpcError as error:
        print(call, "error", error.code().name, error.details())
