"""What the Python tests of the command line share: from lib import *. A user without settings or runs in a folder of its own."""
import os
import shutil
import subprocess
import sys
import tempfile
import time

tdtop = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "build/release/tdtop")
tmp = tempfile.mkdtemp()
os.environ.update(HOME=tmp, XDG_CONFIG_HOME=f"{tmp}/config", TDTOP_DB=f"{tmp}/runs.db", TMPDIR=tmp, LC_ALL="C.UTF-8", TZ="UTC")
count = {True: 0, False: 0}


def check(what, ok, words=""):
    count[bool(ok)] += 1
    if not ok:
        print(f"FAILED: {what}: {str(words)[:900]}")


def run(*args, **more):
    return subprocess.run([tdtop, *args], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60, **more)


def wait_for(what, seconds=20):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        got = what()
        if got:
            return got
        time.sleep(0.05)
    return what()


def over(name):
    shutil.rmtree(tmp, ignore_errors=True)
    print(f"{name}: {count[True]} passed, {count[False]} failed")
    sys.exit(count[False] > 0)
