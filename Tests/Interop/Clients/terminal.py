"""Presses Ctrl-Z, `fg` and Ctrl-C on `playhead run` in an interactive shell: terminal.py PLAYHEAD OPTIONS…"""
import os
import pty
import select
import shlex
import sys
import time

pid, terminal = pty.fork()
if pid == 0:
    os.environ["PS1"] = "ready> "
    os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])

seen = b""


def wait_for(text, seconds=20):
    """Reads until the text came; what is before it is dropped."""
    global seen
    end = time.monotonic() + seconds
    while text.encode() not in seen:
        left = end - time.monotonic()
        if left <= 0 or not select.select([terminal], [], [], left)[0]:
            sys.exit(f"waited {seconds} s for {text!r}; the terminal shows {seen.decode(errors='replace')!r}")
        try:
            seen += os.read(terminal, 4096)
        except OSError:
            sys.exit(f"the shell ended; it said {seen.decode(errors='replace')!r}")
    seen = seen.split(text.encode(), 1)[1]


def type_keys(text):
    os.write(terminal, text.encode())


wait_for("ready> ")
command = shlex.join([sys.argv[1], "run", *sys.argv[2:], "--mode", "none", "--", "sh", "-c", "echo star''ted; exec sleep 100"])
type_keys(command + "\n")
wait_for("started")
type_keys("\x1a")
wait_for("Stopped")
wait_for("ready> ")
type_keys("jobs\n")
wait_for("Stopped")
wait_for("ready> ")
type_keys("fg\n")
wait_for("sleep 100")
type_keys("\x03")
wait_for("ready> ")
type_keys("echo code=$?\n")
wait_for("code=")
wait_for("code=")
end = time.monotonic() + 20
while b"\n" not in seen and time.monotonic() < end:
    seen += os.read(terminal, 4096)
code = seen.split(b"\r")[0].decode()
type_keys("exit\n")
print(f"stopped, continued, interrupted: {code}")
