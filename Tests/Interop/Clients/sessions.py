"""Many sessions at once: every user asks the same URLs over a connection of its own, all at the same time.

    sessions.py PROXY-PORT CA-FILE COUNT USER... < /dev/null

Prints JSON: for each user the count that the origin had served, answer by answer.
"""
import base64
import http.client
import json
import ssl
import sys
import threading

port, authority, count = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
users = sys.argv[4:]
context = ssl.create_default_context(cafile=authority)
together = threading.Barrier(len(users), timeout=60)
seen = {user: [] for user in users}


def work(user):
    try:
        connection = http.client.HTTPSConnection("127.0.0.1", port, context=context, timeout=60)
        credentials = base64.b64encode(f"{user}:".encode()).decode()
        connection.set_tunnel("api.example.test", 443, headers={"Proxy-Authorization": f"Basic {credentials}"})
        connection.connect()
        together.wait()
        for number in range(count):
            connection.request("GET", f"/json?n={number}")
            response = connection.getresponse()
            body = response.read()
            seen[user].append(json.loads(body)["served"] if response.status == 200 else f"{response.status} {body!r}")
    except Exception as error:
        together.abort()
        seen[user].append(f"{type(error).__name__}: {error}")


threads = [threading.Thread(target=work, args=(user,)) for user in users]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(json.dumps(seen))
