"""PostgreSQL servers in a temporary folder: a primary and its synchronous standby, each behind a proxy."""

import atexit
import contextlib
import glob
import os
import pwd
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from .programs import PATIENCE, await_true

PASSWORD = "p%ss/word"
ENCODED_PASSWORD = "p%25ss%2Fword"


def tool(name):
    folders = sorted(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: int(path.split("/")[4]))
    if not folders:
        sys.exit("no PostgreSQL: run scripts/prerequisites")
    return os.path.join(folders[-1], name)


def unprivileged():
    """Options of a process that PostgreSQL accepts: it refuses to run as root."""
    if os.geteuid() != 0:
        return {}
    account = pwd.getpwnam("postgres")
    return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}


class Proxy:
    """Passes TCP connections on, or goes silent, resets or delays them."""

    def __init__(self, target):
        self.target = target
        self.mode = "pass"
        self.open = set()
        self.lock = threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        try:
            server = socket.create_connection(("127.0.0.1", self.target), 5)
        except OSError:
            client.close()
            return
        pair = (client, server)
        with self.lock:
            self.open.add(pair)
        try:
            while True:
                for end in select.select(pair, [], [], 0.2)[0]:
                    while self.mode == "silent":
                        time.sleep(0.05)
                    if self.mode == "delay":
                        time.sleep(0.1)
                    data = end.recv(65536)
                    if not data:
                        return
                    (server if end is client else client).sendall(data)
        except (OSError, ValueError):
            pass
        finally:
            with self.lock:
                self.open.discard(pair)
            client.close()
            server.close()

    def reset(self):
        with self.lock:
            for client, server in self.open:
                for end in (client, server):
                    with contextlib.suppress(OSError):
                        end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
                        end.shutdown(socket.SHUT_RDWR)


class Server:
    """One server. Its own port is known to its proxy and its standby alone."""

    DISK_MEBIBYTES = 768

    def __init__(self, folder, name):
        self.folder, self.name = os.path.join(folder, name), name
        self.data = os.path.join(self.folder, "data")
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.proxy = Proxy(self.port)
        self.process = None
        self.has_disk = False
        atexit.register(self.kill)

    def run(self, name, *words):
        done = subprocess.run(
            [tool(name), *words], capture_output=True, text=True, timeout=PATIENCE, cwd="/", **unprivileged()
        )
        if done.returncode != 0:
            sys.exit(f"{name} ended with {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "w") as file:
            file.write(text)
        self.own(path)
        return path

    def own(self, path):
        if account := unprivileged():
            os.chown(path, account["user"], account["group"])

    def make_folder(self):
        if os.path.ismount(self.folder):
            for name in os.listdir(self.folder):
                path = os.path.join(self.folder, name)
                shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)
        else:
            os.makedirs(self.folder, 0o700)
            # A disk of its own, that can be filled; only root can make one.
            words = ["mount", "-t", "tmpfs", "-o", f"size={self.DISK_MEBIBYTES}m,mode=0700", "tmpfs", self.folder]
            self.has_disk = os.geteuid() == 0 and subprocess.run(words, capture_output=True).returncode == 0
            if self.has_disk:
                atexit.register(subprocess.run, ["umount", "-l", self.folder], capture_output=True)
        self.own(self.folder)
        key = os.path.join(self.folder, "key")
        words = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc", "-days", "30"]
        names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
        subprocess.run(
            ["openssl", *words, *names, "-keyout", key, "-out", os.path.join(self.folder, "certificate")],
            check=True,
            capture_output=True,
        )
        os.chmod(key, 0o600)
        self.own(key)

    @property
    def root(self):
        return os.path.join(self.folder, "certificate")

    def settings(self, standby_names):
        return "".join(
            f"{name} = '{value}'\n"
            for name, value in {
                "port": self.port,
                "listen_addresses": "127.0.0.1",
                "unix_socket_directories": self.folder,
                "ssl": "on",
                "ssl_cert_file": self.root,
                "ssl_key_file": os.path.join(self.folder, "key"),
                "synchronous_standby_names": standby_names,
                "max_connections": 60,
                "shared_buffers": "64MB",
                "wal_keep_size": "64MB",
                "max_wal_size": "128MB",
                "cluster_name": self.name,
            }.items()
        )

    def make_primary(self):
        self.make_folder()
        password = self.write("password", PASSWORD)
        self.run("initdb", "-D", self.data, "-U", "postgres", "--pwfile", password, "-A", "trust", "-E", "UTF8", "--locale=C")
        self.write("data/pg_hba.conf", "local all all trust\nlocal replication all trust\n"
                   "hostssl all all 127.0.0.0/8 scram-sha-256\n")
        with open(os.path.join(self.data, "postgresql.conf"), "a") as file:
            file.write("\ninclude '../own.conf'\n")
        self.write("own.conf", self.settings("*"))
        self.start()

    def make_standby(self, primary):
        self.make_folder()
        self.run("pg_basebackup", "-h", primary.folder, "-p", str(primary.port), "-U", "postgres",
                 "-D", self.data, "-X", "stream", "-c", "fast")
        source = f"host={primary.folder} port={primary.port} user=postgres application_name={self.name}"
        self.write("own.conf", self.settings("*") + f"primary_conninfo = '{source}'\n")
        self.write("data/standby.signal", "")
        self.start()

    def start(self):
        log = os.path.join(self.folder, "log")
        self.run("pg_ctl", "-D", self.data, "-l", log, "-w", "-t", str(PATIENCE), "start")
        with open(os.path.join(self.data, "postmaster.pid")) as file:
            self.process = int(file.readline())

    def kill(self):
        """Ends all its processes at once, as the loss of its machine does."""
        if self.process is None:
            return
        with contextlib.suppress(OSError):
            with open(f"/proc/{self.process}/task/{self.process}/children") as file:
                children = [int(word) for word in file.read().split()]
            for process in [self.process, *children]:
                with contextlib.suppress(OSError):
                    os.kill(process, signal.SIGKILL)
        self.process = None

    @property
    def is_running(self):
        return self.process is not None and os.path.exists(f"/proc/{self.process}")

    def fill(self):
        """Takes all room of its disk. Returns the file."""
        path = os.path.join(self.folder, "filler")
        with open(path, "wb", 0) as file, contextlib.suppress(OSError):
            while True:
                file.write(bytes(65536))
        return path

    def hold(self, statement, database):
        """Runs a statement in a session of its own, without waiting for it."""
        words = ["-h", self.folder, "-p", str(self.port), "-U", "postgres", "-d", database, "-qtA", "-c", statement]
        return subprocess.Popen(
            [tool("psql"), *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/", **unprivileged()
        )

    def promote(self):
        self.run("pg_ctl", "-D", self.data, "-w", "promote")

    def ask(self, statement, database="postgres"):
        return self.run("psql", "-h", self.folder, "-p", str(self.port), "-U", "postgres", "-d", database,
                        "-qtA", "-c", statement).strip()


class Database:
    """A primary with a synchronous standby. The URL names both, so that relays find the primary themselves."""

    NAME = "relay"

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="sealedpush-database-")
        os.chmod(self.folder, 0o711)
        atexit.register(shutil.rmtree, self.folder, True)
        self.servers = [Server(self.folder, "one"), Server(self.folder, "two")]
        self.primary, self.standby = self.servers
        self.primary.make_primary()
        self.standby.make_standby(self.primary)
        self.await_standby()
        self.primary.ask(f"CREATE DATABASE {self.NAME}")
        self.authorities = os.path.join(self.folder, "authorities")
        self.write_authorities()

    def write_authorities(self):
        """Certificates change when a standby is made anew."""
        text = ""
        for server in self.servers:
            with open(server.root) as file:
                text += file.read()
        with open(self.authorities + ".new", "w") as file:
            file.write(text)
        os.rename(self.authorities + ".new", self.authorities)

    @property
    def url(self):
        hosts = ",".join(f"127.0.0.1:{server.proxy.port}" for server in self.servers)
        return f"postgresql://postgres:{ENCODED_PASSWORD}@{hosts}/{self.NAME}?sslrootcert={self.authorities}"

    def await_standby(self):
        await_true(
            lambda: self.primary.ask("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") == "1",
            "the synchronous standby",
        )

    def fail_over(self):
        """The primary's machine is lost; its standby becomes the primary, and gets a new standby."""
        self.primary.kill()
        self.primary, self.standby = self.standby, self.primary
        self.primary.promote()
        self.standby.make_standby(self.primary)
        self.write_authorities()
        self.await_standby()

    def cpu_seconds(self):
        """Of the primary's processes that live."""
        total = 0
        with contextlib.suppress(OSError):
            with open(f"/proc/{self.primary.process}/task/{self.primary.process}/children") as file:
                processes = [self.primary.process, *map(int, file.read().split())]
            for process in processes:
                with contextlib.suppress(OSError):
                    with open(f"/proc/{process}/stat") as file:
                        fields = file.read().rsplit(")", 1)[1].split()
                    total += int(fields[11]) + int(fields[12]) + int(fields[13]) + int(fields[14])
        return total / os.sysconf("SC_CLK_TCK")
