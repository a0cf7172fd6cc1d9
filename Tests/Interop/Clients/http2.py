"""httpx over HTTP/2: several requests at once on one connection. Usage: http2.py URL"""
import asyncio
import ssl
import sys

import httpx


async def main():
    # httpx takes the proxy from the environment, and the roots through the standard library.
    context = ssl.create_default_context()
    async with httpx.AsyncClient(http2=True, verify=context, timeout=30) as client:
        paths = ["/a", "/b", "/stream", "/big"]
        answers = await asyncio.gather(*[client.get(sys.argv[1] + path) for path in paths])
        answers.append(await client.post(sys.argv[1] + "/post", content=b"x" * 100_000))
        for answer in answers:
            print(answer.http_version, answer.status_code, len(answer.content), answer.text[:40].splitlines()[0])


asyncio.run(main())
