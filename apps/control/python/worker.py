"""A worker that pays, one payment after another: a correct one and four broken ones, as in ../go.

worker.py fenced|checks-once|renews-by-name|acks-early|unlocked
worker.py load
"""
import os
import socket
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../examples/app"))
from torture import tell  # noqa: E402

TTL = 1000  # of the lock, in ms
WORK = 0.1
ME = f"{os.environ.get('REPLICA')}-{os.getpid()}"

ACQUIRE = "if redis.call('SET', 'lock', ARGV[1], 'NX', 'PX', ARGV[2]) then return redis.call('INCR', 'n') end return 0"
RELEASE = "if redis.call('GET', 'lock') == ARGV[1] then return redis.call('DEL', 'lock') end return 0"
RENEW = "if redis.call('GET', 'lock') == ARGV[1] then return redis.call('PEXPIRE', 'lock', ARGV[2]) end return 0"
# FENCE pays unless a higher number was given out: a payment that is late by one is refused, too.
FENCE = "if tonumber(redis.call('GET', 'n') or '0') > tonumber(ARGV[2]) then return 0 end return 1"


class Redis:
    """A connection to Redis."""

    def __init__(self, addr):
        host, port = addr.rsplit(":", 1)
        self.conn = socket.create_connection((host, int(port)))
        self.file = self.conn.makefile("rwb")

    def do(self, *words):
        """Sends a command and returns its reply, None for nil."""
        parts = [str(w).encode() for w in words]
        self.file.write(b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%s\r\n" % (len(p), p) for p in parts))
        self.file.flush()
        line = self.file.readline()
        if not line or line[:1] == b"-":
            raise OSError(f"{words[0]}: {line.decode() or 'the connection is closed'}")
        if line[:1] != b"$":
            return line[1:].strip().decode()
        size = int(line[1:])
        return None if size < 0 else self.file.read(size + 2)[:size].decode()


def locked(r, owner, pay):
    """Does one payment under the lock, in the name of its owner."""
    n = int(r.do("EVAL", ACQUIRE, 0, owner, TTL))
    if not n:
        return
    tell("begin", "payout", n, token=n)
    pay(r, n)
    tell("end", "payout", n)
    r.do("EVAL", RELEASE, 0, owner)


def fenced(r, n):
    """Lets the store refuse a payment that comes too late."""
    time.sleep(WORK)
    r.do("EVAL", FENCE, 0, "paid", n)


def checks_once(r, n):
    """Looks whether it has the lock, and relies on that for the rest of its work."""
    if r.do("GET", "lock") == ME:
        time.sleep(WORK)
        r.do("SET", f"paid:{n}", ME)


def renews_by_name(r, n):
    """Renews the lock as often as it can, but every replica is called "billing"."""
    for _ in range(5):
        time.sleep(WORK / 5)
        if r.do("EVAL", RENEW, 0, "billing", TTL) != "1":
            return
    r.do("SET", f"paid:{n}", ME)


def acks_early(r):
    """Takes a payment off the queue before it makes it."""
    n = r.do("LPOP", "queue")
    if n:
        tell("begin", "payout", n)
        time.sleep(WORK)
        r.do("SET", f"paid:{n}", ME)
        tell("end", "payout", n)


def unlocked(r):
    """Makes the payment that is next, as every replica does."""
    n = int(r.do("GET", "next") or 1)
    tell("begin", "payout", n)
    time.sleep(WORK)
    r.do("SET", f"paid:{n}", ME)
    r.do("SET", "next", n + 1)
    tell("end", "payout", n)


def load(r):
    """Asks for a payment."""
    n = r.do("INCR", "asked")
    r.do("RPUSH", "queue", n)
    print("queued", n, flush=True)
    time.sleep(WORK)


ROUNDS = {
    "fenced": lambda r: locked(r, ME, fenced),
    "checks-once": lambda r: locked(r, ME, checks_once),
    "renews-by-name": lambda r: locked(r, "billing", renews_by_name),
    "acks-early": acks_early,
    "unlocked": unlocked,
    "load": load,
}

while True:
    try:
        redis = Redis(os.environ["REDIS"])
        while True:
            ROUNDS[sys.argv[1]](redis)
            time.sleep(0.01)
    except OSError as e:
        print(e, file=sys.stderr, flush=True)
        time.sleep(WORK)
