"""The driver protocol (docs/driver-protocol.md) for locks in Python.

A lock is an object with open(o) -> traits, acquire(name, timeout, cancelled) ->
Grant or None (refused until the timeout), and release(grant). Each call runs in a thread of its own. Whatever it
raises is an unknown outcome, unless it is a Refused or a NotHeld. One with modes gets what a request with one of
them says, as mode, permits, capacity and parties; None stands for a request without a mode.
"""
import json, os, sys, threading, time, uuid


class Refused(Exception):
    """Certainly not acquired, and never will be by this call."""


class Unsupported(Exception):
    """The lock has no such thing; nothing was done."""


class NotHeld(Exception):
    """The lease had ended before."""


class Grant:
    def __init__(self, lock, owner=None, until=None):
        self.lock, self.owner, self.until, self.released, self.lost = lock, owner, until, False, False
        self.cancelled = Cancel()  # of its release


class Cancel(threading.Event):
    """Set when the caller gives up; then, if it is set, is called with it."""

    then = None

    def set(self):
        super().set()
        if self.then:
            self.then()


class Driver:
    def __init__(self, lock):
        self.lock, self.leases, self.last = lock, {}, 0
        self.mu = threading.RLock()
        self.calls = {}  # id -> event that a cancel sets

    def send(self, **reply):
        with self.mu:
            sys.stdout.write(json.dumps(reply) + "\n")
            sys.stdout.flush()

    def fail(self, id, err):
        classes = {Refused: "not-acquired", NotHeld: "not-held", Unsupported: "unsupported"}
        kind = next((name for c, name in classes.items() if isinstance(err, c)), "unknown")
        self.send(id=id, error=kind, message="%s: %s" % (type(err).__name__, err))

    def serve(self):
        for line in sys.stdin:
            if line.strip():
                self.handle(json.loads(line))
        os._exit(0)  # the harness is gone: nothing is released

    def handle(self, q):
        op, id = q["op"], q.get("id")
        if op == "cancel":
            call = self.calls.get(q.get("target"))
            if call is not None:
                call.set()
        elif op == "ask":
            self.ask(id, q.get("lease"))
        elif op in ("open", "acquire", "release"):
            if op != "open":
                self.calls[id] = Cancel()
            threading.Thread(target=self.run, args=(op, id, q), daemon=True).start()
        elif op == "close":
            self.send(id=id)
            os._exit(0)
        else:
            self.send(id=id, error="unsupported", message="no operation " + op)

    def run(self, op, id, q):
        try:
            if op == "open":
                self.send(id=id, version=1, traits=self.lock.open(q["open"]))
            elif op == "acquire":
                self.acquire(id, q)
            else:
                self.release(id, q["lease"])
        except Exception as e:
            self.fail(id, e)
        finally:
            self.calls.pop(id, None)

    def claim(self, q):
        """What a request asks for beside a name."""
        if q.get("mode") not in getattr(self.lock, "modes", (None,)):
            raise Unsupported("no mode %s" % q.get("mode"))
        return {k: q[k] for k in ("mode", "permits", "capacity", "parties") if k in q}

    def acquire(self, id, q):
        """Lets the library wait. It cannot be interrupted: a cancel that it does
        not notice within a second is answered with unknown, and a grant that
        comes later is given back."""
        cancelled, result, done, late = self.calls[id], [], threading.Event(), []

        def call():
            try:
                timeout = q["timeout"] / 1e9 if q.get("timeout") else None
                given = self.lock.acquire(q["lock"], timeout, cancelled, **self.claim(q))
            except Exception as e:
                given = e
            with self.mu:
                result.append(given)
                done.set()
                if late and isinstance(given, Grant):
                    threading.Thread(target=self.lock.release, args=(given,), daemon=True).start()

        threading.Thread(target=call, daemon=True).start()
        while not done.wait(0.01 if cancelled.is_set() else 0.1) and not cancelled.is_set():
            pass
        done.wait(1)
        with self.mu:
            if not done.is_set():
                late.append(True)
                result.append(TimeoutError("cancelled while a request is unanswered"))
            got = result[0]
            if got is None:
                got = Refused("held by another")
            if isinstance(got, Exception):
                return self.fail(id, got)
            self.last += 1
            self.leases[self.last] = got
            reply = {"id": id, "lease": self.last}
            if got.owner:
                reply["owner"] = got.owner
            if got.until:
                reply["remaining"] = left(got)
            self.send(**reply)

    def release(self, id, lease):
        grant = self.leases.get(lease)
        if grant is None or grant.released:
            raise NotHeld("lease %s is released or was never granted" % lease)
        grant.cancelled = self.calls[id]
        try:
            self.lock.release(grant)
            grant.released = True
        except NotHeld:
            grant.released = True
            raise
        self.send(id=id)

    def ask(self, id, lease):
        grant = self.leases.get(lease)
        if grant is None or grant.released or grant.lost or grant.until and left(grant) <= 0:
            self.send(id=id, error="not-held")
        elif grant.until:
            self.send(id=id, remaining=left(grant))
        else:
            self.send(id=id)

    def lose(self):
        """Tells the loss of every lease that is held."""
        at = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        with self.mu:
            for number, grant in self.leases.items():
                if not grant.released and not grant.lost:
                    grant.lost = True
                    self.send(event="lost", lease=number, mono=at)


def left(grant):
    return int((grant.until - time.time()) * 1e9)


def owner(process):
    return "p%d:%s" % (process, uuid.uuid4().hex)


def main(lock):
    driver = Driver(lock)
    lock.driver = driver
    if sys.argv[1:2] != ["bench"]:
        return driver.serve()
    env, took = os.environ, []
    lock.open({
        "endpoints": env["TORTURE_ENDPOINTS"].split(","), "ttl": int(env["TORTURE_TTL_NS"]),
        "process": int(env["TORTURE_PROCESS"]),
    })
    for _ in range(int(sys.argv[2])):
        start = time.perf_counter_ns()
        lock.release(lock.acquire("cost", None, None))
        took.append(time.perf_counter_ns() - start)
    print(json.dumps(took), flush=True)
    os._exit(0)
