#!/usr/bin/env python3
"""tdtop on a pseudo terminal that the test itself holds: when it is read, what it sends, how it is set.

    terminal.py TDTOP [signals|faults|not_read|stalled|pastes|grounds|alone ...]

Prints "screen: N passed, N failed"; exit status 1 if anything failed. Python 3.9 or newer, standard library only.
"""
import concurrent.futures
import fcntl
import os
import pty
import re
import resource
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

TDTOP = sys.argv[1]
HERE = os.path.dirname(os.path.abspath(__file__))
LIMIT = 30  # seconds; far more than anything here takes, also on a busy machine
results = {True: 0, False: 0}


def check(good, words):
    results[bool(good)] += 1
    if not good:
        print("FAILED terminal_test.sh:", words, flush=True)
    return good


class Tdtop:
    """tdtop demo on a terminal of its own, of which `out` has what was read."""

    def __init__(self, folder, *args, size=(80, 24), nonblocking=False, env=None, lead=(), program=TDTOP,
                 verb=("demo", "--seed", "1")):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
        self.before = termios.tcgetattr(slave)
        if nonblocking:
            fcntl.fcntl(slave, fcntl.F_SETFL, fcntl.fcntl(slave, fcntl.F_GETFL) | os.O_NONBLOCK)
        self.out, self.size = b"", size
        self.slave = slave  # held open: what the program leaves can be looked at
        self.program = subprocess.Popen(
            [*lead, program, *verb, "--db", os.path.join(folder, "runs.db"), *args],
            stdin=slave, stdout=slave, stderr=slave, start_new_session=True, preexec_fn=self.take,
            env={"PATH": os.environ["PATH"], "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "HOME": folder,
                 "TZ": "UTC", **(env or {})})
        os.set_blocking(self.master, False)

    @staticmethod
    def take():
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        for sig in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
            signal.signal(sig, signal.SIG_DFL)

    def read(self, seconds):
        """What comes within so many seconds; returns whether something did."""
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        try:
            some = os.read(self.master, 1 << 16)
        except OSError:  # EIO: the other side is closed
            return False
        self.out += some
        return bool(some)

    def until(self, good, seconds=LIMIT):
        end = time.monotonic() + seconds
        while not good() and time.monotonic() < end:
            self.read(0.05)
        return good()

    def shows(self, text):
        return any(text in row for row in screen(self.out, self.size))

    def drawn(self):
        return self.until(lambda: b"quit" in self.out and self.shows("q quit"))

    def opens(self, key, text):
        """Presses a key until it does something: there may be nothing measured yet."""
        end = time.monotonic() + LIMIT
        while not self.shows(text) and time.monotonic() < end:
            self.type(key)
            self.until(lambda: self.shows(text), 1)
        return self.shows(text)

    def type(self, text):
        """Also what is longer than the terminal's queue, while the program writes."""
        end = time.monotonic() + LIMIT
        while text and time.monotonic() < end and self.program.poll() is None:
            readable, writable, _ = select.select([self.master], [self.master], [], 0.1)
            if readable:
                self.read(0)
            if writable:
                text = text[os.write(self.master, text[:1024]):]

    def settle(self):
        while self.read(0.7):
            pass

    def stall(self):
        """Nothing is read, until the terminal takes nothing more for a good while."""
        for _ in range(40):
            os.write(self.master, b"\x0c")  # Ctrl-L: draws everything
            time.sleep(0.05)
        time.sleep(2)

    def ended(self, seconds=LIMIT, read=True):
        end = time.monotonic() + seconds
        while self.program.poll() is None and time.monotonic() < end:
            if read:
                self.read(0.02)
            else:
                time.sleep(0.02)
        return self.program.poll() is not None

    def given_back(self, what):
        """However it ended: the modes are as before, and each mode that was set is reset behind all that was drawn."""
        self.settle()
        check(termios.tcgetattr(self.slave) == self.before, what + ": the terminal's modes are not as before")
        left = [on for on, off in MODES if self.out.rfind(on) >= 0 and self.out.rfind(off) < self.out.rfind(on)]
        check(not left, f"{what}: left on: {left}")
        check(b"q quit" not in self.out[self.out.rfind(b"\x1b[?1049l"):], what + ": drawn after the end")

    def close(self):
        if self.program.poll() is None:
            self.program.kill()
        self.program.wait()
        os.close(self.slave)
        os.close(self.master)


MODES = [(b"\x1b[?1049h", b"\x1b[?1049l"), (b"\x1b[?25l", b"\x1b[?25h"), (b"\x1b[?1h\x1b=", b"\x1b[?1l\x1b>"),
         (b"\x1b[?1002h", b"\x1b[?1002l"), (b"\x1b[?1006h", b"\x1b[?1006l"), (b"\x1b[?2004h", b"\x1b[?2004l")]


def screen(data, size=(80, 24)):
    """The rows that an xterm shows after these bytes: what tdtop sends to one, and nothing else."""
    wide, high = size
    rows = [[" "] * wide for _ in range(high)]
    x = y = 0
    token = re.compile(r"\x1b\[([?<>]?)([\d;]*)([@-~])|\x1b\][^\x07]*\x07|\x1b[=>]|\x1b\(B|\r|\n|\b|(.)", re.S)
    for m in token.finditer(data.decode(errors="replace")):
        text, mark, final = m.group(0), m.group(1), m.group(3)
        n = [int(p) if p else 0 for p in (m.group(2) or "").split(";")]
        if final and not mark:
            count = n[0] or 1
            if final == "H":
                y, x = (n + [1, 1])[0] or 1, ((n + [1, 1])[1] if len(n) > 1 else 1) or 1
                y, x = min(y, high) - 1, min(x, wide) - 1
            elif final == "C":
                x = min(x + count, wide - 1)
            elif final == "K":
                rows[y][x:] = [" "] * (wide - x)
            elif final == "X":
                rows[y][x:x + count] = [" "] * len(rows[y][x:x + count])
            elif final == "J":
                rows = [[" "] * wide for _ in range(high)]
        elif text == "\r":
            x = 0
        elif text == "\n":
            y = min(y + 1, high - 1)
        elif text == "\b":
            x = max(x - 1, 0)
        elif m.group(4) and text >= " " and x < wide:
            rows[y][x] = text
            x += 1
    return ["".join(row).rstrip() for row in rows]


# ---- every signal ----

ASKED = {signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT}  # it ends by itself, with status 0
LIVES = {signal.SIGCHLD, signal.SIGURG, signal.SIGWINCH, signal.SIGCONT}
STOPS = {signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU}


def one_signal(folder, sig):
    what = f"signal {sig} ({signal.strsignal(sig)})"
    t = Tdtop(folder)
    if check(t.drawn(), what + ": nothing was drawn"):
        t.program.send_signal(sig)
        if sig in LIVES:
            check(not t.ended(0.3), what + " ends it")
            t.type(b"q")
        if check(t.ended(), what + ": still running"):
            want = 0 if sig in ASKED | LIVES else -sig
            check(t.program.returncode == want, f"{what}: status {t.program.returncode}, want {want}")
            t.given_back(what)
    t.close()


def signals(folder):
    tried = sorted(s for s in signal.valid_signals() - STOPS - {signal.SIGKILL})
    check(len(tried) > 50, f"{len(tried)} signals")
    return [(one_signal, s) for s in tried]


# ---- faults ----

def faults(folder):
    """In the thread that saves; and in the main one, where they were blocked by whoever started it."""
    library = os.path.join(folder, "fault.so")
    compiler = os.environ.get("CC", "cc")
    if subprocess.run([compiler, "-D_GNU_SOURCE", "-O0", "-fPIC", "-shared", "-w", "-o", library,
                       os.path.join(HERE, "fault.c"), "-ldl"]).returncode:
        check(False, "fault.c cannot be compiled")
        return []
    raised = (signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGABRT, signal.SIGTRAP, signal.SIGSYS)
    return [(saver_faults, library, "memory", signal.SIGSEGV), (saver_faults, library, "stack", signal.SIGSEGV),
            *[(saver_faults, library, str(int(s)), s) for s in raised], (blocked_fault,)]


def saver_faults(folder, library, fault, sig):
    what = f"fault {fault} while a run is saved"
    t = Tdtop(folder, env={"LD_PRELOAD": library, "FAULT": fault})
    if check(t.drawn(), what + ": nothing was drawn"):
        check(t.opens(b"s", "Snapshot"), what + ": no form")
        t.type(b"\r")
        if check(t.ended(), what + ": still running"):
            check(t.program.returncode == -sig, f"{what}: status {t.program.returncode}, want {-sig}")
            t.given_back(what)
    t.close()


def blocked_fault(folder):
    t = Tdtop(folder, lead=["env", "--block-signal=SEGV,ABRT"])
    if check(t.drawn(), "blocked SEGV: nothing was drawn"):
        t.program.send_signal(signal.SIGSEGV)
        check(t.ended() and t.program.returncode == -signal.SIGSEGV, "blocked SEGV: it does not end by it")
        t.given_back("blocked SEGV")
    t.close()


# ---- a terminal that is not read ----

def not_read(folder):
    sigs = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGSEGV, signal.SIGUSR1)
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        print("SKIP a terminal of another user: needs root and setpriv")
        return [(one_not_read, s) for s in sigs]
    os.chmod(folder, 0o777)
    shutil.copy(TDTOP, os.path.join(folder, "tdtop"))
    return [(one_not_read, s, user) for s in sigs for user in (None, 65534)]


def one_not_read(folder, sig, user=None):
    """user: whom the terminal, which stays root's, cannot be opened by once more."""
    what = f"{signal.Signals(sig).name} while nothing is read" + (", a terminal of another user" if user else "")
    lead = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"] if user else []
    t = Tdtop(folder, "-I", "100ms", size=(200, 60), lead=lead,
              program=os.path.join(folder, "tdtop") if user else TDTOP)
    if check(t.until(lambda: b"quit" in t.out), what + ": nothing was drawn"):
        t.stall()
        t.program.send_signal(sig)
        if check(t.ended(10, read=False), what + ": still running after 10 s"):
            t.given_back(what)
    t.close()


def stalled(folder):
    return [(one_stalled, False), (one_stalled, True)]


def one_stalled(folder, nonblocking):
    """What was lost is drawn again once the terminal is read, and the terminal of the shell stays as it was."""
    what = "a stalled terminal" + (", O_NONBLOCK" if nonblocking else "")
    t = Tdtop(folder, "-I", "100ms", size=(200, 60), nonblocking=nonblocking)
    if check(t.until(lambda: b"quit" in t.out), what + ": nothing was drawn"):
        t.stall()
        t.type(b"2")  # another view, while nothing is read
        time.sleep(0.5)
        t.until(lambda: False, 1)  # read again
        t.type(b" ")
        t.settle()
        here = screen(t.out, (200, 60))
        t.type(b"\x0c")
        t.settle()
        want = screen(t.out, (200, 60))
        wrong = [(i, a, b) for i, (a, b) in enumerate(zip(here, want)) if a != b]
        check(any(want) and not wrong, f"{what}: {len(wrong)} wrong rows; the first: {wrong[:1]}")
        t.type(b"q")
        check(t.ended(), what + ": q does not end it")
        t.given_back(what)
        flags = fcntl.fcntl(t.slave, fcntl.F_GETFL)
        check(bool(flags & os.O_NONBLOCK) == nonblocking, what + ": O_NONBLOCK of the terminal has changed")
    t.close()


# ---- pastes ----

def cpu_seconds(pid):
    """0 once it has ended."""
    try:
        with open(f"/proc/{pid}/stat") as f:
            fields = f.read().rpartition(")")[2].split()
    except OSError:
        return 0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


# What is typed into, the key that opens it, and what is seen then.
FIELDS = [("palette", b":", "Palette"), ("search", b"/", "/_"), ("form", b"s", "Snapshot"), ("mark", b"m", "mark now")]


def pastes(folder):
    return [(paste_many, *field, bracketed) for field in FIELDS for bracketed in (False, True)] + [(paste_words,)]


def paste_many(folder, name, key, seen, bracketed):
    many = b"abcde fghij level view" * 1000
    what = f"{len(many)} characters into the {name}" + (", bracketed" if bracketed else "")
    t = Tdtop(folder)
    if check(t.drawn(), what + ": nothing was drawn"):
        check(t.opens(key, seen), what + ": it does not open")
        before = took = cpu_seconds(t.program.pid)
        t.type((b"\x1b[200~%s\x1b[201~\x03" if bracketed else b"%s\x03") % many)
        end = time.monotonic() + LIMIT
        while t.program.poll() is None and time.monotonic() < end:
            t.read(0.01)
            took = max(took, cpu_seconds(t.program.pid))
        check(t.ended(1), what + ": Ctrl-C is not heard")
        check(took - before < 2, f"{what}: {took - before:.1f} s of CPU time")
        t.given_back(what)
    t.close()


def paste_words(folder):
    t = Tdtop(folder)
    if check(t.drawn(), "paste: nothing was drawn"):
        check(b"\x1b[?2004h" in t.out, "bracketed paste is not asked for")
        t.type(b"\x1b[200~q\r:quit\r\x1b[201~")
        check(t.until(lambda: t.shows("paste ignored")), "paste where nothing is typed: no words")
        t.type(b":\x1b[200~view-c\rp")
        t.settle()
        t.type(b"u\x1b[20")  # the end in two parts
        t.type(b"1~")
        check(t.until(lambda: t.shows("view-c pu")), "paste: the line end is no blank")
        check(not t.shows("[5CPUs]"), "paste: a line end presses Enter")
        t.type(b"\x15\x1b[200~view-cpus\x1b[201~\r")
        check(t.until(lambda: t.shows("[5CPUs]")), "paste, then Enter")
        t.type(b"q")
        check(t.ended() and t.program.returncode == 0, "q after pastes")
        t.given_back("pastes")
    t.close()


# ---- what the terminal says of its ground ----

ASKS = b"\x1b]11;?\x07"
WHITE = b"48;5;231"  # the ground of the theme for light ones

# What the terminal answers, how many seconds later, and whether the screen is light then.
ANSWERS = [
    ("light", [(0, b"\x1b]11;rgb:ffff/ffff/ffff\x07")], True),
    ("light, ESC \\", [(0, b"\x1b]11;rgb:fdfd/f6f6/e3e3\x1b\\")], True),
    ("light, in two parts", [(0, b"\x1b]11;rgb:ff"), (0.01, b"ff/ffff/ffff\x07")], True),
    ("dark", [(0, b"\x1b]11;rgb:1d1d/1f1f/2121\x07")], False),
    ("nothing", [], False),
    ("garbage", [(0, b"\x1b]11;q?/sq\x07")], False),
    ("late", [(0.5, b"\x1b]11;rgb:ffff/ffff/ffff\x07")], False),
    ("late, in parts", [(0.5, b"\x1b]11;rgb:ff"), (0.1, b"ff/ffff/ffff\x1b"), (0.1, b"\\")], False),
]


def grounds(folder):
    return [(one_ground, *case) for case in ANSWERS] + [(list_then_screen,), (list_of_what_ended,),
        (not_asked, "a chosen theme", ["--theme", "default"], "xterm-256color"),
        (mono, ["--theme", "mono"], {}), (mono, [], {"NO_COLOR": "1"}), (mono, [], {"TERM": "vt100"}),
        *[(not_asked, term, [], term) for term in ("linux", "vt100", "screen", "screen-256color")]]


def one_ground(folder, what, parts, light, tries=3):
    """A busy machine may be too slow to answer in time: that counts when it happens three times."""
    what = what if what.startswith("ground: ") else "ground: " + what
    t = Tdtop(folder)
    if check(t.until(lambda: ASKS in t.out), what + ": it does not ask"):
        for seconds, text in parts:
            time.sleep(seconds)
            t.type(text)
        check(t.drawn(), what + ": nothing was drawn")
        t.settle()
        if light and WHITE not in t.out and tries > 1:
            t.close()
            return one_ground(folder, what, parts, light, tries - 1)
        check((WHITE in t.out) == light, f"{what}: {'dark' if light else 'light'}")
        check(t.program.poll() is None and not t.shows("/_") and not t.shows("Snapshot"), what + ": taken for keys")
        check(t.out.count(ASKS) == 1, what + ": asked again")
        t.type(b"q")
        check(t.ended() and t.program.returncode == 0, what + ": q does not end it")
        t.given_back(what)
        left = t.out[t.out.rfind(b"\x1b[?1049l") - 64:]
        check(b"\x1b[39;49m" in left or b"\x1b[m" in left, what + ": its colours are left")
    t.close()


def list_then_screen(folder, tries=3):
    """The list of processes is light, and so is the screen of the one that is chosen; one question."""
    t = Tdtop(folder, verb=(), size=(120, 40))
    t.until(lambda: ASKS in t.out)
    t.type(b"\x1b]11;rgb:ffff/ffff/ffff\x07")
    t.until(lambda: WHITE in t.out, 3)
    if WHITE not in t.out and tries > 1:
        t.close()
        return list_then_screen(folder, tries - 1)
    check(WHITE in t.out, "list: dark on a light terminal")
    t.out = b""
    t.type(b"\r")
    check(t.until(lambda: t.shows("Esc back")), "list: no screen of the chosen process")
    check(WHITE in t.out and ASKS not in t.out, "list: the screen after it is dark, or asks again")
    t.type(b"\x1b")
    check(t.until(lambda: t.shows("Enter measure")), "list: Esc does not come back")
    t.type(b"\x03")
    check(t.ended() and t.program.returncode == 0, "list: Ctrl-C does not end it")
    t.given_back("list")
    t.close()


def list_of_what_ended(folder):
    """Who chooses a process that has ended meanwhile is told, in the list."""
    called = f"tdt{os.getpid()}"  # no other run of this test has one of that name
    name = os.path.join(folder, called)
    subprocess.run(["cp", os.path.realpath("/bin/sh"), name], check=True)  # no thread of ours has it open
    ends = subprocess.Popen([name, "-c", "while :; do :; done"])
    t = Tdtop(folder, verb=(), size=(120, 40))
    t.until(lambda: t.shows("Enter measure"))
    t.type(called.encode())
    check(t.until(lambda: t.shows(f"{ends.pid} ")), f"list: no row of {called}")
    ends.kill()  # the list has its row until it is read again
    ends.wait()
    t.type(b"\r")
    check(t.until(lambda: t.shows(f"process {ends.pid}: no such") or t.shows("no process has")), "list: that it has ended is not said")
    check(t.program.poll() is None and t.shows("Which process?"), "list: it went with what had ended")
    t.type(b"\x03")
    check(t.ended() and t.program.returncode == 0, "list: Ctrl-C does not end it after a choice that was none")
    t.close()


def mono(folder, args, env):
    """Without colours the parts of a bar have textures, whoever wanted none."""
    t = Tdtop(folder, *args, env=env)
    if check(t.until(lambda: t.shows("Retiring")), f"mono {args} {env}: nothing was drawn"):
        t.settle()
        wrong = [texture for texture in "░▓═" if not t.shows(texture)]  # ▒: the least may only have its letter
        check(not wrong, f"mono {args} {env}: not to be seen: {wrong}")
    t.close()


def not_asked(folder, what, args, term):
    t = Tdtop(folder, *args, env={"TERM": term})
    if check(t.until(lambda: b"quit" in t.out), f"ground: {what}: nothing was drawn"):
        t.settle()
        check(b"\x1b]" not in t.out, f"ground: {what}: it asks")
    t.close()


# ---- one thread of a process ----

def alone(folder):
    return [(thread_alone,)]


def thread_alone(folder):
    """Enter measures a thread alone, Esc the process again."""
    code = ("import threading, sys\n"
            "def spin():\n    while True: pass\n"
            "threading.Thread(target=spin, daemon=True).start()\nsys.stdin.read()")
    process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE)
    t = Tdtop(folder, verb=("-p", str(process.pid)), size=(120, 40))
    check(t.drawn(), "alone: nothing was drawn")
    check(t.until(lambda: t.shows("2 threads")), "alone: not two threads")
    t.out = b""
    t.type(b"4")
    check(t.until(lambda: t.shows("all 2 threads")), "alone: no threads")
    t.type(b"\r")
    check(t.until(lambda: t.shows("Esc back") and t.shows(" of ")), "alone: Enter does not measure it")
    t.out = b""
    t.type(b"\x1b")
    check(t.until(lambda: t.shows("[4 Threads]")), "alone: Esc does not lead back to the threads")
    t.type(b"q")
    check(t.ended() and t.program.returncode == 0, "alone: q does not end it")
    t.given_back("alone")
    t.close()
    process.kill()
    process.wait()


def main():
    with tempfile.TemporaryDirectory(prefix="tdtop-terminal-") as folder:
        wanted = sys.argv[2:] or ["not_read", "stalled", "pastes", "grounds", "alone", "faults", "signals"]
        jobs = [job for name in wanted for job in globals()[name](folder)]
        with concurrent.futures.ThreadPoolExecutor(8) as pool:  # most of the time is waiting
            for done in [pool.submit(job[0], folder, *job[1:]) for job in jobs]:
                done.result()
    print(f"screen: {results[True]} passed, {results[False]} failed")
    return results[False] != 0


sys.exit(main())
