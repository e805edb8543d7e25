# memcached 1.6.18: what is stored just after the server stood still expires at once.
#
# The server reads its clock once a second, in a timer of its main thread, and reckons an expiry from the last reading.
# Requests are served by other threads. When the whole process has stood still (a paused virtual machine, a container
# out of its CPU quota, a host that swaps), a request that waited meanwhile may be served before the timer has run: its
# item is stored with an expiry reckoned from before the pause. Then the clock jumps, and the item is gone. A lock made
# with ADD is granted so, with an expiry of 2 s after a pause of 3.3 s, and the next ADD is granted a few milliseconds
# later: two clients hold it. That an expiry may be a second early is known (issues 307, 679); it is early by the pause.
#
# Needs memcached on PATH. Exit 1: the failure showed.
import os, pwd, signal, socket, subprocess, sys, time

EXPIRY = 2  # s, of the lock
PAUSE = 3.3  # s
TRIES = 12


def memcached():
    """Starts a memcached and returns it with its port."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    args = ["memcached", "-l", "127.0.0.1", "-p", str(port), "-U", "0"]
    if os.getuid() == 0:
        args += ["-u", "nobody" if "nobody" in [u.pw_name for u in pwd.getpwall()] else "root"]
    server = subprocess.Popen(args)
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return server, port
        except OSError:
            time.sleep(0.05)


def add(connection, key):
    """Asks for a lock."""
    connection.sendall(b"add %s 0 %d 1\r\nx\r\n" % (key, EXPIRY))


def granted(connection):
    return connection.recv(100).startswith(b"STORED")


def held(first, second, key):
    """Takes a lock for the first, and returns for how long the second is refused it."""
    assert granted(first), key
    begun = time.monotonic()
    while True:
        add(second, key)
        if granted(second):
            return time.monotonic() - begun
        time.sleep(0.005)


def main(server, port):
    first, second = (socket.create_connection(("127.0.0.1", port)) for _ in range(2))
    add(first, b"undisturbed")
    print("undisturbed: the second is granted it after %.2f s" % held(first, second, b"undisturbed"))
    early = 0
    for n in range(TRIES):
        time.sleep(0.37)  # at various distances from the server's ticks
        key = b"lock-%d" % n
        server.send_signal(signal.SIGSTOP)
        time.sleep(PAUSE)
        add(first, key)
        time.sleep(0.05)
        server.send_signal(signal.SIGCONT)
        after = held(first, second, key)
        early += after < EXPIRY - 1
        print("%2d. stopped for %.1f s before the first is granted it; the second is granted it after %.3f s" % (n + 1, PAUSE, after))
    print("%d of %d locks of %d s ended more than a second early" % (early, TRIES, EXPIRY))
    return 1 if early else 0


if __name__ == "__main__":
    code = 2
    server, port = memcached()
    try:
        code = main(server, port)
    finally:
        server.kill()
        server.wait()
        sys.stdout.flush()
    os._exit(code)
