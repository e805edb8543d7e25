# tooz 3.1.0, PostgreSQL: two locks with different names are one lock.
#
# The key of an advisory lock is the first two bytes of the MD5 of the lock's name, given as two
# arguments of 32 bits each, of which 8 are used: there are 65,536 locks. Of 302 names two are the
# same lock with a chance of one half, of 1,000 with 99.9 %. Who holds "volume-…" keeps out others
# who want another volume; who takes both, one inside the other, waits for itself for ever, since
# each lock has a session of its own.
#
# Needs PostgreSQL (initdb and postgres), python3-tooz and python3-psycopg2. As root it is run as postgres.
# Exit 1: the failure showed.
import glob, hashlib, logging, os, pwd, shutil, signal, socket, subprocess, sys, tempfile, time

import tenacity
from tooz import coordination

logging.basicConfig(level=logging.CRITICAL)
USER = "postgres"


def program(name):
    return shutil.which(name) or sorted(glob.glob("/usr/lib/postgresql/*/bin/" + name))[-1]


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def postgres(directory):
    """Starts a PostgreSQL and returns it with its port."""
    port, more = free_port(), {}
    if os.getuid() == 0:
        account = pwd.getpwnam(USER)
        os.chown(directory, account.pw_uid, account.pw_gid)
        more = {"user": account.pw_uid, "group": account.pw_gid, "cwd": directory}
    data = os.path.join(directory, "data")
    subprocess.run([program("initdb"), "-D", data, "-A", "trust", "-U", USER, "--no-sync"], check=True, stdout=subprocess.DEVNULL, **more)
    args = ["-D", data, "-p", str(port), "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=" + directory,
            "-c", "dynamic_shared_memory_type=mmap"]
    return subprocess.Popen([program("postgres")] + args, stderr=subprocess.DEVNULL, **more), port


def member(port, name):
    c = coordination.get_coordinator("postgresql://%s@127.0.0.1:%d/postgres" % (USER, port), name)
    while True:
        try:
            c.start()
            return c
        except coordination.ToozConnectionError:  # it is not up yet
            time.sleep(0.1)


def same():
    """The first two of volume-0, volume-1 … that are the same lock."""
    seen = {}
    for i in range(65537):
        name = b"volume-%d" % i
        key = hashlib.md5(name).digest()[0:2]
        if key in seen:
            return seen[key], name
        seen[key] = name


def main(port):
    # 1. Two names.
    one, other = same()
    print("1. the names:", one.decode(), "and", other.decode())

    # 2. The first client takes the lock of one name.
    first, second = member(port, b"first"), member(port, b"second")
    mine = first.get_lock(one)
    assert mine.acquire(blocking=False)

    # 3. The second asks for the other name, which nobody holds, and for a third.
    its, third = second.get_lock(other), second.get_lock(b"volume")
    refused, free = not its.acquire(blocking=False), third.acquire(blocking=False)
    print("3. while %s is held, %s is refused: %s; a third name is granted: %s" % (one.decode(), other.decode(), refused, free))

    # 4. The first asks for the other name as well, and gives up after 3 s.
    try:
        nested = first.get_lock(other).acquire(blocking=3)
    except tenacity.RetryError:  # what it raises when its time is over
        nested = False
    print("4. its holder takes the other name inside:", nested)
    return 1 if refused and free and not nested else 0


if __name__ == "__main__":
    directory, code = tempfile.mkdtemp(), 2
    server, port = postgres(directory)
    try:
        code = main(port)
    finally:
        server.send_signal(signal.SIGQUIT)
        server.wait()
        shutil.rmtree(directory)
        sys.stdout.flush()
    os._exit(code)
