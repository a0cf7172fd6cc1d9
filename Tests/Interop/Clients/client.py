"""One script for every Python client: client.py LIBRARY URL. Prints what it received, one line per request."""
import asyncio
import hashlib
import json
import sys

library, base = sys.argv[1], sys.argv[2]
PAYLOAD = {"name": "ada", "password": "json-secret-9876"}
HEADERS = {"Authorization": "Bearer bearer-secret-4711", "Cookie": "sid=cookie-secret-0815"}


def show(status, body):
    print(status, len(body), hashlib.sha256(body).hexdigest(), body[:200])


def use_urllib():
    import urllib.request

    def call(path, **arguments):
        with urllib.request.urlopen(urllib.request.Request(base + path, **arguments), timeout=60) as answer:
            show(answer.status, answer.read())

    call("/bytes/50?access_token=query-secret-1234", headers=HEADERS)
    call("/upload", data=json.dumps(PAYLOAD).encode(), headers={"Content-Type": "application/json"})
    call("/chunks?sizes=1,20,3000")
    call("/bytes/300000?seed=python")
    call("/redirect/1")


def use_requests(session, close=lambda: None):
    for answer in [
        session.get(base + "/bytes/50", params={"access_token": "query-secret-1234"}, headers=HEADERS),
        session.post(base + "/upload", json=PAYLOAD),
        session.get(base + "/chunks?sizes=1,20,3000"),
        session.get(base + "/gzip"),
        session.get(base + "/bytes/300000?seed=python"),
        session.put(base + "/upload", content=b"u" * 100000) if library == "httpx" else
        session.put(base + "/upload", data=b"u" * 100000),
    ]:
        show(answer.status_code, answer.content)
    close()


async def use_aiohttp():
    import aiohttp

    async with aiohttp.ClientSession(trust_env=True) as session:
        async def call(method, path, **arguments):
            async with session.request(method, base + path, **arguments) as answer:
                show(answer.status, await answer.read())

        await call("GET", "/bytes/50?access_token=query-secret-1234", headers=HEADERS)
        await call("POST", "/upload", json=PAYLOAD)
        await call("GET", "/chunks?sizes=1,20,3000")
        await call("GET", "/gzip")
        results = await asyncio.gather(*[session.get(f"{base}/bytes/5000?seed={n}") for n in range(20)])
        for answer in results:
            show(answer.status, await answer.read())


def use_urllib3():
    """urllib3 reads no variable: the program names the proxy and the roots."""
    import os
    import urllib3

    pool = urllib3.ProxyManager(os.environ["https_proxy"], ca_certs=os.environ["SSL_CERT_FILE"])
    for method, path, arguments in [
        ("GET", "/bytes/50?access_token=query-secret-1234", {"headers": HEADERS}),
        ("POST", "/upload", {"body": json.dumps(PAYLOAD), "headers": {"Content-Type": "application/json"}}),
        ("GET", "/chunks?sizes=1,20,3000", {}), ("GET", "/bytes/300000?seed=python", {}), ("GET", "/redirect/1", {}),
    ]:
        answer = pool.request(method, base + path, **arguments)
        show(answer.status, answer.data)


def use_pycurl():
    """libcurl reads the proxy's variables, but none for the roots."""
    import io
    import os
    import pycurl

    handle = pycurl.Curl()
    handle.setopt(pycurl.CAINFO, os.environ["SSL_CERT_FILE"])
    handle.setopt(pycurl.FOLLOWLOCATION, True)
    for path, body in [("/bytes/50", None), ("/upload", json.dumps(PAYLOAD)), ("/bytes/300000?seed=python", None),
                       ("/redirect/1", None)]:
        answer = io.BytesIO()
        handle.setopt(pycurl.URL, base + path)
        handle.setopt(pycurl.WRITEDATA, answer)
        if body is None:
            handle.setopt(pycurl.HTTPGET, True)
        else:
            handle.setopt(pycurl.POSTFIELDS, body)
        handle.perform()
        show(handle.getinfo(pycurl.RESPONSE_CODE), answer.getvalue())


if library == "urllib":
    use_urllib()
elif library == "urllib3":
    use_urllib3()
elif library == "pycurl":
    use_pycurl()
elif library == "requests":
    import requests

    with requests.Session() as session:
        use_requests(session)
elif library == "httpx":
    import httpx

    with httpx.Client(timeout=60) as session:
        use_requests(session)
elif library == "aiohttp":
    asyncio.run(use_aiohttp())
else:
    sys.exit(f"unknown library {library}")
