"""A gRPC server for the interop tests: no generated code, messages are UTF-8 text.

Usage: grpc_origin.py --certificate FILE --key FILE --ports FILE
"""
import argparse
import json
import os
from concurrent import futures

import grpc

IDENTITY = (lambda octets: octets, lambda octets: octets)


def say(request, context):
    context.send_initial_metadata((("x-initial", "first"),))
    context.set_trailing_metadata((("x-trailing", "last"), ("x-trailing-bin", b"\x00\xff")))
    if request == b"fail":
        context.abort(grpc.StatusCode.FAILED_PRECONDITION, "not now: 100 % sure")
    return b"you said " + request


def count(request, context):
    for number in range(int(request)):
        yield b"number %d" % number


def join(requests, context):
    return b"+".join(requests)


def talk(requests, context):
    for request in requests:
        yield b"echo " + request
        if request == b"bye":
            return


class Handler(grpc.GenericRpcHandler):
    def service(self, details):
        name = details.method.rsplit("/", 1)[-1]
        return {
            "Say": grpc.unary_unary_rpc_method_handler(say, *IDENTITY),
            "Count": grpc.unary_stream_rpc_method_handler(count, *IDENTITY),
            "Join": grpc.stream_unary_rpc_method_handler(join, *IDENTITY),
            "Talk": grpc.stream_stream_rpc_method_handler(talk, *IDENTITY),
        }.get(name)


def main():
    parser = argparse.ArgumentParser()
    for name in ["certificate", "key", "ports"]:
        parser.add_argument("--" + name, required=True)
    options = parser.parse_args()
    server = grpc.server(futures.ThreadPoolExecutor(8))
    server.add_generic_rpc_handlers((Handler(),))
    with open(options.key, "rb") as key, open(options.certificate, "rb") as certificate:
        secure = grpc.ssl_server_credentials([(key.read(), certificate.read())])
    ports = {
        "https": server.add_secure_port("127.0.0.1:0", secure),
        "http": server.add_insecure_port("127.0.0.1:0"),
    }
    server.start()
    with open(options.ports + ".new", "w") as file:
        json.dump(ports, file)
    os.rename(options.ports + ".new", options.ports)
    server.wait_for_termination()


main()
