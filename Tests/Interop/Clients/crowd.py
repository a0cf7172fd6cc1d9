"""More connections than a proxy has descriptors for: crowd.py PROXY-PORT COUNT. Prints what the last ones were told."""
import select
import socket
import sys
import time

PLACE = ("127.0.0.1", int(sys.argv[1]))
deadline = time.monotonic() + 20
crowd = []
for _ in range(int(sys.argv[2])):
    connection = socket.create_connection(PLACE, 20)
    connection.sendall(b"GET http://a.example/ HTTP/1.1\r\n")
    crowd.append(connection)
answers = set()
while not answers and time.monotonic() < deadline:
    for connection in select.select(crowd, [], [], 1)[0]:
        answers.add(connection.recv(65536).decode().split("\r\n")[0])
print(sorted(answers))
for connection in crowd:
    connection.close()
while time.monotonic() < deadline:
    connection = socket.create_connection(PLACE, 20)
    connection.sendall(b"GET http://playhead.internal/ca.pem HTTP/1.1\r\nHost: playhead.internal\r\n\r\n")
    status = connection.recv(65536).decode().split("\r\n")[0]
    connection.close()
    if " 200 " in status:
        print(status)
        break
