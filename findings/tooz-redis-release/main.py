# tooz 3.1.0 with redis-py 4.3.4: a release whose connection breaks cannot be made again, and the lock stays.
#
# RedisLock.release is wrapped in _handle_failures, which tries 15 times where the connection breaks. But
# redis-py's Lock.release forgets its token before it asks the server (its pull request 4258, merged in August
# 2026). So the second try finds no token, asks nobody, and fails with LockError, which tooz turns into False:
# the same answer as for a lock that another has. acquired is False from then on, every later release says False,
# and nobody is granted the lock until its time-out is over, although the server could be reached all the time.
#
# Needs redis-server on PATH and python3-tooz. Exit 1: the failure showed.
import logging, os, socket, subprocess, sys, tempfile, threading, time

import redis
from tooz import coordination

logging.basicConfig(level=logging.CRITICAL)
TIMEOUT = 10  # s, of a lock


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Relay:
    """Stands between a client and the server. cut: it closes the next connection that asks for a script to be run."""

    def __init__(self, server):
        self.server, self.cut, self.cuts = server, False, 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client = self.listener.accept()[0]
            server = socket.create_connection(("127.0.0.1", self.server))
            threading.Thread(target=self.pump, args=(client, server, True), daemon=True).start()
            threading.Thread(target=self.pump, args=(server, client, False), daemon=True).start()

    def pump(self, source, to, asks):
        try:
            while data := source.recv(65536):
                if asks and self.cut and b"EVALSHA" in data:
                    self.cut, self.cuts = False, self.cuts + 1
                    break
                to.sendall(data)
        except OSError:
            pass
        for s in (source, to):
            try:
                s.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def member(port, name):
    c = coordination.get_coordinator("redis://127.0.0.1:%d?timeout=%d&socket_timeout=1" % (port, TIMEOUT), name)
    c.start()
    return c


def main(port):
    relay = Relay(port)
    mine, its = member(relay.port, b"first").get_lock(b"resource"), member(port, b"second").get_lock(b"resource")

    # 1. A release over a link that works frees the lock.
    assert mine.acquire(blocking=False) and not its.acquire(blocking=False)
    assert mine.release() is True and its.acquire(blocking=False) and its.release()

    # 2. The connection breaks as the release is sent; the next one would work.
    assert mine.acquire(blocking=False)
    relay.cut = True
    said = mine.release()
    print("2. a release during which the connection broke (%d cut):" % relay.cuts, said, "- acquired:", mine.acquired)

    # 3. Released again, over a link that works.
    again = mine.release()
    left = redis.Redis(port=port).pttl(mine.name)
    refused = not its.acquire(blocking=False)
    print("3. released again:", again, "- the server keeps the lock for another %d ms; another is refused:" % left, refused)
    return 1 if relay.cuts == 1 and not said and not again and left > 0 and refused else 0


if __name__ == "__main__":
    port, code = free_port(), 2
    with tempfile.TemporaryDirectory() as directory:
        command = ["redis-server", "--port", str(port), "--dir", directory, "--save", "", "--bind", "127.0.0.1"]
        server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        try:
            while True:
                try:
                    socket.create_connection(("127.0.0.1", port), 1).close()
                    break
                except OSError:
                    time.sleep(0.05)
            code = main(port)
        finally:
            server.kill()
            server.wait()
            sys.stdout.flush()
    os._exit(code)
