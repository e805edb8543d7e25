# PgBouncer 1.18.0: clients that send a cancel request and go before it is answered end the pooler.
#
# A cancel request is a connection of its own, which PgBouncer passes on over a new connection to PostgreSQL.
# Where the client closes its end while that is under way, PgBouncer frees the client ("client unexpected eof"),
# and later, when PostgreSQL has answered, closes the client of that cancel request once more:
# "FATAL disconnect_client(): bad client state: 0". The process ends, and with it the connections of everybody.
# Any driver whose deadline covers the cancel request does that while the server stands still for a moment.
# (PgBouncer's issue 801 of 2023 has the message and no steps.)
#
# Needs pgbouncer and PostgreSQL (initdb and postgres). As root they are run as postgres. Exit 1: the failure showed.
import glob, os, pwd, shutil, signal, socket, struct, subprocess, sys, tempfile, time

USER, WAITERS, ROUNDS = "postgres", 5, 20
MORE = {}
if os.getuid() == 0:
    MORE = {"user": pwd.getpwnam(USER).pw_uid, "group": pwd.getpwnam(USER).pw_gid}


def program(name):
    return shutil.which(name) or shutil.which("/usr/sbin/" + name) or sorted(glob.glob("/usr/lib/postgresql/*/bin/" + name))[-1]


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Client:
    """A client of PostgreSQL's protocol, as far as it is needed here."""

    def __init__(self, port):
        self.port, self.s = port, socket.create_connection(("127.0.0.1", port), 5)
        words = b"user\0postgres\0database\0postgres\0\0"
        self.s.sendall(struct.pack("!ii", 8 + len(words), 196608) + words)
        self.until(b"Z")

    def until(self, last):
        f = self.s.makefile("rb")
        while True:
            kind, size = struct.unpack("!ci", f.read(5))
            body = f.read(size - 4)
            if kind == b"K":
                self.key = body  # process and secret
            if kind == last:
                return

    def ask(self, query):
        self.s.sendall(b"Q" + struct.pack("!i", 5 + len(query)) + query + b"\0")

    def cancel_and_go(self):
        with socket.create_connection(("127.0.0.1", self.port), 5) as c:
            c.sendall(struct.pack("!ii", 16, 80877102) + self.key)
            time.sleep(0.02)
        self.s.close()


def connect(port):
    while True:
        try:
            return Client(port)
        except (OSError, struct.error):  # it is not up yet
            time.sleep(0.05)


def main(port, server, pooler):
    for n in range(1, ROUNDS + 1):
        # 1. One holds the lock of a transaction, five wait for it.
        clients = [connect(port) for _ in range(1 + WAITERS)]
        for c in clients:
            c.ask(b"BEGIN; SELECT pg_advisory_xact_lock(1)")
            time.sleep(0.02)
        # 2. PostgreSQL stands still for a moment. Meanwhile the waiters cancel their questions, and go.
        server.send_signal(signal.SIGSTOP)
        for c in clients[1:]:
            c.cancel_and_go()
        time.sleep(0.1)
        server.send_signal(signal.SIGCONT)
        # 3. Does it go on?
        time.sleep(0.5)
        if pooler.poll() is not None:
            print("round %d: PgBouncer has ended" % n)
            return 1
        clients[0].s.close()
    print("PgBouncer went on after each of %d rounds" % ROUNDS)
    return 0


if __name__ == "__main__":
    code, running = 2, []
    with tempfile.TemporaryDirectory() as directory:
        os.chmod(directory, 0o777)
        pg, bouncer, data, log = free_port(), free_port(), directory + "/data", open(directory + "/log", "w+")
        subprocess.run([program("initdb"), "-D", data, "-A", "trust", "-U", USER, "--no-sync"], check=True, stdout=subprocess.DEVNULL, cwd=directory, **MORE)
        with open(directory + "/ini", "w") as f:
            f.write("[databases]\n* = host=127.0.0.1 port=%d user=%s\n[pgbouncer]\nlisten_addr=127.0.0.1\nlisten_port=%d\n"
                    "unix_socket_dir=\nauth_type=any\npool_mode=transaction\n" % (pg, USER, bouncer))
        try:
            for args in [[program("postgres"), "-D", data, "-p", str(pg), "-c", "unix_socket_directories=", "-c", "dynamic_shared_memory_type=mmap"],
                         [program("pgbouncer"), directory + "/ini"]]:
                running.append(subprocess.Popen(args, stdout=log, stderr=log, cwd=directory, **MORE))
            code = main(bouncer, *running)
            log.seek(0)
            print("".join(l for l in log if "FATAL @" in l), end="")
        finally:
            for p in running:
                p.kill()
                p.wait()
            sys.stdout.flush()
    os._exit(code)
