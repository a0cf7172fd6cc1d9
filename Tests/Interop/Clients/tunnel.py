"""A protocol in which the server speaks first, through a tunnel: tunnel.py PROXY-PORT. Prints what came back."""
import socket
import sys
import threading

DATA = bytes(range(256)) * 4096


def serve(listener):
    connection, _ = listener.accept()
    connection.settimeout(30)
    connection.sendall(b"SSH-2.0-origin\r\n")
    while piece := connection.recv(65536):
        connection.sendall(piece)
    connection.close()


def send(connection):
    connection.sendall(DATA)
    connection.shutdown(socket.SHUT_WR)


listener = socket.create_server(("127.0.0.1", 0))
listener.settimeout(30)
threading.Thread(target=serve, args=[listener], daemon=True).start()
target = f"127.0.0.1:{listener.getsockname()[1]}"
proxy = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 30)
proxy.sendall(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n".encode())
file = proxy.makefile("rb")
status = file.readline().split()[1].decode()
while file.readline().strip():
    pass
banner = file.readline().strip().decode()
threading.Thread(target=send, args=[proxy], daemon=True).start()
print(status, banner, file.read() == DATA)
