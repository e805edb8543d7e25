# tooz 3.1.0, memcached: the heartbeat of who has lost a lock says True, and keeps the lock of the next holder alive.
#
# MemcachedLock.heartbeat touches the key of the lock and does not look whose it is. A holder that was stopped for
# longer than its time-out goes on beating: if another was granted the lock meanwhile, heartbeat says True (False
# only where nobody has it), acquired is True, and the touch renews the other's lock. If the other then dies, its
# lock never expires, as long as the first lives and beats: nobody holds it, and nobody is granted it. acquire
# (blocking=True) waits for ever. is_still_owner tells the truth, but nothing calls it. memcached can do better
# than "touch": gets, then cas with the same value and a new expiry, renews only what is one's own.
# (That release gets and then deletes, and may delete the lock of another, a comment in its source says. cas with an
# expiry in the past would do that in one step.)
#
# Needs memcached on PATH and python3-tooz. Exit 1: the failure showed.
import logging, os, pwd, socket, subprocess, sys, time

from tooz import coordination

logging.basicConfig(level=logging.CRITICAL)
TIMEOUT = 3  # s, of a lock


def memcached():
    """Starts a memcached and returns it with its address."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    args = ["memcached", "-l", "127.0.0.1", "-p", str(port)]
    if os.getuid() == 0:
        args += ["-u", "nobody" if "nobody" in [u.pw_name for u in pwd.getpwall()] else "root"]
    server = subprocess.Popen(args)
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return server, "127.0.0.1:%d" % port
        except OSError:
            time.sleep(0.05)


def member(address, name):
    c = coordination.get_coordinator("memcached://%s?timeout=%d" % (address, TIMEOUT), name)
    c.start()
    return c


def main(address):
    first, second, third = (member(address, n) for n in (b"first", b"second", b"third"))
    a, b, c = (m.get_lock(b"resource") for m in (first, second, third))

    # 1. The first holds the lock and is then stopped: it does not beat for longer than its time-out.
    assert a.acquire(blocking=False) and a.heartbeat() and not b.acquire(blocking=False)
    end = time.monotonic() + 5 * TIMEOUT
    while not (granted := b.acquire(blocking=False)) and time.monotonic() < end:
        time.sleep(0.1)
    print("1. the first does not beat for longer than its time-out; the second acquires:", granted)

    # 2. The first goes on and beats: it is told that it holds the lock.
    told = a.heartbeat()
    print("2. the first beats:", told, "acquired:", a.acquired, "is_still_owner:", a.is_still_owner())

    # 3. The second dies: it neither beats nor releases. The first goes on beating. The third wants the lock.
    died, free = time.monotonic(), False
    while not free and time.monotonic() < died + 4 * TIMEOUT:
        told = a.heartbeat() and told
        free = c.acquire(blocking=False)
        time.sleep(0.1)
    print("3. %.1f s after the second's death, with a time-out of %d s, the third acquires: %s; the lock is still %s's" % (
        time.monotonic() - died, TIMEOUT, free, (a.get_owner() or b"nobody").decode()))

    # 4. The first beats no more: the lock is free in time.
    stopped = time.monotonic()
    while not (free_now := c.acquire(blocking=False)) and time.monotonic() < stopped + 4 * TIMEOUT:
        time.sleep(0.1)
    print("4. the first beats no more; the third acquires after %.1f s: %s" % (time.monotonic() - stopped, free_now))
    return 1 if granted and told and not free and free_now else 0


if __name__ == "__main__":
    code = 2
    server, address = memcached()
    try:
        code = main(address)
    finally:
        server.kill()
        server.wait()
        sys.stdout.flush()
    os._exit(code)
