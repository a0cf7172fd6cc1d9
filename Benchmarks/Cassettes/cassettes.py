#!/usr/bin/env python3
"""What the size of a cassette costs: opening time, and CPU per replayed request.

    cassettes.py --playhead .build/release/playhead --load ../shared/bench/mitmload

It writes cassettes of N exchanges (1 kB JSON bodies) and starts `playhead serve --mode none` on each, several times, to measure the
time and the CPU until it is ready. The last of each size stay, and a load generator asks them in turns of a
second, in random order, for random exchanges over CONNECT and TLS: a machine whose speed changes from second to second harms all sizes
alike. The table shows medians; the last column is the median, over the turns, of the ratio to the first size. Needs Linux.
"""
import argparse
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HOST = "replay.bench.test"
TICKS = os.sysconf("SC_CLK_TCK")


def write_cassette(path, count):
    """A cassette in the form in which playhead writes it."""
    with open(path, "w") as file:
        file.write("playhead: 1\nrecorded_with: cassettes.py\nexchanges:\n")
        for number in range(100000, 100000 + count):
            body = json.dumps({"n": f"/i/{number}", "pad": "x" * 988})
            file.write(
                f'- id: "{number - 99999}"\n  recorded_at: 2026-11-21T05:24:26.688Z\n  request:\n    method: GET\n'
                f"    url: https://{HOST}/i/{number}\n    http: HTTP/1.1\n    headers:\n    - [Host, {HOST}]\n"
                f'    - [Accept, "*/*"]\n  response:\n    status: 200\n    reason: OK\n    http: HTTP/1.1\n    headers:\n'
                f'    - [Server, nginx]\n    - [Content-Type, application/json]\n    - [Content-Length, "{len(body)}"]\n'
                f"    body:\n      text: '{body}'\n  timing: {{first_byte_ms: 1, total_ms: 1}}\n")


def cpu(pid):
    """CPU seconds that a process has used."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def memory(pid):
    with open(f"/proc/{pid}/status") as file:
        return int(re.search(r"VmRSS:\s+(\d+)", file.read())[1]) / 1024


def start(options, folder, count):
    ports = os.path.join(folder, "ports")
    if os.path.exists(ports):
        os.remove(ports)
    began = time.monotonic()
    process = subprocess.Popen(
        [options.playhead, "serve", "--listen", "127.0.0.1:0", "--admin", "off", "--port-file", ports, "--ca-dir",
         os.path.join(folder, "ca"), "--cassettes", folder, "--cassette", f"n{count}", "--mode", "none", "--repeats",
         "cycle", "--log-level", "error"], stdout=subprocess.DEVNULL)
    while not os.path.exists(ports) or not open(ports).read().strip():
        if process.poll() is not None:
            sys.exit(f"playhead ended with {process.returncode}")
        if time.monotonic() - began > 120:
            process.kill()
            sys.exit("playhead was not ready within 120 s")
        time.sleep(0.001)
    ready = time.monotonic() - began
    return process, int(open(ports).read().split()[0]), ready, cpu(process.pid)


def stop(process):
    process.terminate()
    process.wait(30)


def load(options, process, port, count, seconds):
    """CPU microseconds of the proxy for each request, and requests a second, once the connections are there."""
    command = [options.load, "--proxy", f"127.0.0.1:{port}", "--host", HOST, "--port", "443", "--path", "/i/%d",
               "--path-first", "100000", "--path-count", str(count), "--conns", str(options.connections), "--duration",
               str(seconds), "--warmup", "0.3", "--pid", str(process.pid)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120)
    found = dict(pair.split("=", 1) for pair in run.stdout.split() if "=" in pair)
    if run.returncode != 0 or float(found.get("errors", 0)) > 0 or "cpu_us_req" not in found:
        sys.exit(f"the load generator failed: {run.stdout} {run.stderr}")
    return float(found["cpu_us_req"]), float(found["rps"])


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--playhead", default=".build/release/playhead")
    parser.add_argument("--load", default="../shared/bench/mitmload", help="the load generator mitmload")
    parser.add_argument("--counts", default="10,1000,100000")
    parser.add_argument("--starts", type=int, default=5, help="how often each size is opened")
    parser.add_argument("--turns", type=int, default=40)
    parser.add_argument("--duration", type=float, default=1, help="seconds of each turn")
    parser.add_argument("--connections", type=int, default=50)
    options = parser.parse_args()
    counts = [int(text) for text in options.counts.split(",")]
    for path in (options.playhead, options.load):
        if not os.access(path, os.X_OK):
            sys.exit(f"{path} is not there or cannot be run; see --help")
    options.playhead = os.path.abspath(options.playhead)
    options.load = os.path.abspath(options.load)
    folder = tempfile.mkdtemp(prefix="playhead-cassettes-")
    opened = {count: [] for count in counts}
    asked = {count: [] for count in counts}
    serving = {}
    try:
        for count in counts:
            write_cassette(os.path.join(folder, f"n{count}.yaml"), count)
        subprocess.run([options.playhead, "cassette", "validate", "--cassettes", folder], check=True, stdout=sys.stderr)
        for _ in range(max(1, options.starts)):
            for count in counts:
                if count in serving:
                    stop(serving[count][0])
                process, port, ready, used = start(options, folder, count)
                serving[count] = (process, port)
                opened[count].append((ready * 1000, used * 1000))
        for turn in range(options.turns):
            for count in random.sample(counts, len(counts)):
                asked[count].append(load(options, *serving[count], count, options.duration))
            if sys.stderr.isatty():
                print(f"\rturn {turn + 1} of {options.turns}", end="", file=sys.stderr)
        sizes = {count: memory(serving[count][0].pid) for count in counts}
    finally:
        for process, _ in serving.values():
            stop(process)
        shutil.rmtree(folder)
    print("| exchanges | ready_ms | ready_cpu_ms | cpu_us_req | rps | rss_mb | x cpu_us_req |\n|---|---|---|---|---|---|---|")
    for count in counts:
        ready, used = (statistics.median(column) for column in zip(*opened[count]))
        per_request, rate = (statistics.median(column) for column in zip(*asked[count]))
        ratio = statistics.median(own[0] / first[0] for own, first in zip(asked[count], asked[counts[0]]))
        print(f"| {count:,} | {ready:.0f} | {used:.0f} | {per_request:.1f} | {rate:.0f} | {sizes[count]:.0f} | {ratio:.2f} |")


main()
