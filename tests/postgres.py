"""A PostgreSQL server of a test's own: in a folder that goes with it, on a free port of 127.0.0.1. find_bin() is None where there is
none to start."""
import glob
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time


def find_bin():
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/pg_ctl"))
    return os.path.dirname(found[-1]) if found else None


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as f:
            return f.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


class Server:
    """Who is root runs it as `postgres`, who is not as himself: the server refuses root."""

    def __init__(self, settings=""):
        self.bin = find_bin()
        self.folder = tempfile.mkdtemp(prefix="tdtop-pg-", dir="/tmp")
        self.settings = settings
        self.user = pwd.getpwnam("postgres") if os.getuid() == 0 else None
        if self.user:
            os.chown(self.folder, self.user.pw_uid, self.user.pw_gid)
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.port = s.getsockname()[1]
        self.tool("initdb", "-D", f"{self.folder}/data", "-A", "trust", "-U", "owner", "--locale=C.UTF-8", "-E", "UTF8")
        self.start()
        self.sql("CREATE DATABASE fleet", db="postgres")

    def tool(self, name, *args, check=True):
        who = {"user": self.user.pw_uid, "group": self.user.pw_gid, "extra_groups": []} if self.user else {}
        return subprocess.run([f"{self.bin}/{name}", *args], cwd=self.folder, check=check, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120, **who)

    def start(self):
        options = f"-p {self.port} -k {self.folder} -c listen_addresses=127.0.0.1 -c max_connections=150 {self.settings}"
        p = self.tool("pg_ctl", "-D", f"{self.folder}/data", "-o", options, "-l", f"{self.folder}/log", "-w", "start", check=False)
        if p.returncode:
            with open(f"{self.folder}/log") as f:
                raise RuntimeError("the server does not start: " + f.read()[-900:])

    def stop(self, how="fast"):
        self.tool("pg_ctl", "-D", f"{self.folder}/data", "-m", how, "-w", "stop", check=False)

    def kill(self):
        """SIGKILL to the server and all that it has begun, as a machine that loses its power."""
        with open(f"{self.folder}/data/postmaster.pid") as f:
            pid = int(f.readline())
        os.kill(pid, signal.SIGSTOP)  # it begins no more
        all_of = [pid, *map(int, subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True).stdout.split())]
        for one in all_of:
            os.kill(one, signal.SIGKILL)
        while any(is_alive(one) for one in all_of):
            time.sleep(0.01)
        for left in (f"{self.folder}/data/postmaster.pid", f"{self.folder}/.s.PGSQL.{self.port}.lock"):
            os.unlink(left)  # a process that nobody has waited for looks alive

    def address(self, user="owner", db="fleet", password=""):
        return f"postgresql://{user}{':' if password else ''}{password}@127.0.0.1:{self.port}/{db}"

    def sql(self, text, db="fleet", user="owner"):
        """Rows as lists of texts."""
        out = subprocess.run(["psql", "-qXAt", "-F", "\t", "-v", "ON_ERROR_STOP=1", self.address(user, db), "-c", text],
                             capture_output=True, text=True, timeout=3600)
        if out.returncode:
            raise RuntimeError(out.stderr)
        return [line.split("\t") for line in out.stdout.splitlines()]

    def close(self):
        self.stop("immediate")
        shutil.rmtree(self.folder, ignore_errors=True)
