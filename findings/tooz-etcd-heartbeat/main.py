# tooz 3.1.0, etcd over its gateway: a lock whose lease has expired is held for ever, and its heartbeat says True.
#
# Etcd3Lock.heartbeat calls lease.refresh(), which answers -1 for a lease that is over, and returns True
# whatever the answer was. A holder that was stopped for longer than its time-out goes on as the holder: acquired
# is True, every heartbeat says True, and is_still_owner is not implemented. Another has been granted the lock.
# (The driver's own lease, for groups, is looked at, and made anew.)
# Besides, each try of acquire makes a lease of its own and revokes none: a waiter leaves one behind for each.
#
# Needs etcd on PATH and python3-tooz. With etcd3gw 2.0 the driver does not start as it is (its function
# client has no api_path): the class is taken. Exit 1: the failure showed.
import logging, os, shutil, signal, socket, subprocess, sys, tempfile, time

import etcd3gw
from etcd3gw.client import Etcd3Client

if "api_path" not in etcd3gw.client.__code__.co_varnames:
    etcd3gw.client = Etcd3Client
from tooz import coordination  # noqa: E402

logging.basicConfig(level=logging.CRITICAL)
TIMEOUT = 2  # s, of a lock


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def etcd(directory):
    """Starts an etcd and returns it with its address."""
    client, peer = free_port(), free_port()
    urls = ["--listen-client-urls", "--advertise-client-urls"], ["--listen-peer-urls", "--initial-advertise-peer-urls"]
    args = [x for flags, port in zip(urls, (client, peer)) for f in flags for x in (f, "http://127.0.0.1:%d" % port)]
    args += ["--initial-cluster", "default=http://127.0.0.1:%d" % peer, "--data-dir", directory, "--log-level", "panic"]
    server = subprocess.Popen(["etcd"] + args, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while True:
        try:
            socket.create_connection(("127.0.0.1", client), 1).close()
            return server, "127.0.0.1:%d" % client
        except OSError:
            time.sleep(0.1)


def member(address, name):
    c = coordination.get_coordinator("etcd3+http://%s?api_version=v3&timeout=%d" % (address, TIMEOUT), name)
    while True:
        try:
            c.start()
            return c
        except Exception:  # it does not lead yet
            time.sleep(0.1)


def main(address):
    first, second = member(address, b"first"), member(address, b"second")

    # 1. The first holds the lock; while it beats, the second is refused.
    mine, its = first.get_lock(b"resource"), second.get_lock(b"resource")
    assert mine.acquire(blocking=False)
    leases = len(leases_of(first))
    for _ in range(10):
        assert mine.heartbeat() and not its.acquire(blocking=False)
        time.sleep(0.1)
    left = len(leases_of(first)) - leases
    print("1. ten tries of the second left %d leases" % left)

    # 2. The first is stopped for longer than its time-out. The second is granted the lock.
    end = time.monotonic() + 5 * TIMEOUT
    while not (granted := its.acquire(blocking=False)) and time.monotonic() < end:
        time.sleep(0.1)
    print("2. the first does not beat for longer than its time-out; the second acquires:", granted)

    # 3. The first goes on, and beats.
    beats = [mine.heartbeat() for _ in range(3)]
    print("3. the first beats:", beats, "acquired:", mine.acquired, "- its lease has", mine._lease.refresh(), "s left (-1: it is gone)")
    print("   the second beats:", its.heartbeat(), "acquired:", its.acquired)
    return 1 if granted and all(beats) and mine.acquired else 0


def leases_of(c):
    url = c.client.get_url("/lease/leases")
    return c.client.post(url, json={}).get("leases", [])


if __name__ == "__main__":
    directory, code = tempfile.mkdtemp(), 2
    server, address = etcd(directory)
    try:
        code = main(address)
    finally:
        server.send_signal(signal.SIGKILL)
        server.wait()
        shutil.rmtree(directory)
        sys.stdout.flush()
    os._exit(code)
