"""kazoo's Lock recipe as it is: ephemeral sequential nodes, each waits for the one before it.

A listener, which kazoo's manual asks for, tells a lease lost when the session is LOST. With the
option suspended=lost it does so already when the connection is gone (SUSPENDED). With the option lock=rw
it is the recipes ReadLock and WriteLock, with lock=semaphore the recipe Semaphore, with lock=barrier
the recipe DoubleBarrier.

The DoubleBarrier takes no time-out and cannot be told to stop: its node would count until the session ends. So the
session of an enter or a leave that was given up is ended here, and the next enter opens another.
"""
import logging, threading
import kazoo
from kazoo.client import KazooClient, KazooState
from kazoo.exceptions import CancelledError, KazooException, LockTimeout
from torture_driver import Grant, NotHeld, Refused, Unsupported, main, owner

logging.basicConfig(level=logging.ERROR)

KINDS = {  # by the option: what the library calls it, its modes, its traits
    "lock": ("Lock", (None,), {"fair": True, "model": "lease", "keys": "zookeeper"}),
    "rw": ("ReadLock and WriteLock", (None, "shared"), {"fair": True, "kind": "rw"}),
    "semaphore": ("Semaphore", ("permits",), {"fair": True, "kind": "semaphore", "single": True}),
    "barrier": ("DoubleBarrier", ("party",), {"kind": "barrier"}),
}


def returns(call, timeout, given_up):
    """Runs what cannot be stopped, and tells whether it has returned before the caller gave up. Else it is left to itself."""
    woken, result = threading.Event(), []

    def run():
        try:
            result.append(call())
        except Exception as e:
            result.append(e)
        woken.set()

    given_up.then = woken.set
    threading.Thread(target=run, daemon=True).start()
    if not given_up.is_set():
        woken.wait(timeout)
    if result and isinstance(result[0], Exception):
        raise result[0]
    return bool(result)


class Kazoo:
    modes = (None,)

    def open(self, o):
        options = o.get("options") or {}
        recipe, self.modes, traits = KINDS[options.get("lock", "lock")]
        self.process = o.get("process", 0)
        self.lost = {KazooState.LOST}
        if options.get("suspended") == "lost":
            self.lost.add(KazooState.SUSPENDED)
        self.breaks = 0  # of the connection
        self.hosts, self.ttl, self.zk = ",".join(o["endpoints"]), o["ttl"] / 1e9, None
        self.connect()
        return {
            "lock": "kazoo %s %s" % (kazoo.__version__, recipe), "wait": "queue", "renews": True, "watched": True,
            "least_ttl": 1_000_000_000, "free_within": 2 * o["ttl"], "clock": "ZooKeeper's monotonic clock (session)",
            "blind_release": "release does not look at what its delete deleted", **traits,
        }

    def connect(self):
        zk = KazooClient(hosts=self.hosts, timeout=self.ttl)
        zk.add_listener(self.changed)
        zk.start(timeout=10)
        self.zk = zk

    def drop(self, zk):
        """Ends a session, and with it the nodes that the library has left."""

        def end():
            try:
                zk.stop()
                zk.close()
            except (KazooException, OSError):
                pass  # no server was told: it ends when its time is over

        zk.remove_listener(self.changed)
        if self.zk is zk:
            self.zk = None
        threading.Thread(target=end, daemon=True).start()

    def changed(self, state):
        if state != KazooState.CONNECTED:
            self.breaks += 1
        if state in self.lost:
            self.driver.lose()

    def recipe(self, name, me, mode, capacity):
        """The recipe for a claim, and what lists those that have a node of it."""
        path = "/lock/" + name
        if mode == "permits":
            s = self.zk.Semaphore(path, me, max_leases=capacity)
            return s, s.lease_holders
        lock = self.zk.ReadLock if mode == "shared" else self.zk.WriteLock if "shared" in self.modes else self.zk.Lock
        lock = lock(path, me)
        return lock, lock.contenders

    def enter(self, name, timeout, cancelled, parties):
        if self.zk is None:
            try:
                self.connect()
            except Exception as e:
                raise Refused(e)  # nothing was asked for
        zk, me = self.zk, owner(self.process)
        if cancelled.is_set():
            return None
        barrier = zk.DoubleBarrier("/lock/" + name, parties, me)
        try:
            if not returns(barrier.enter, timeout, cancelled):
                raise TimeoutError("given up: the library goes on waiting, and its session was ended")
            if not barrier.participating:  # the library raises nothing
                raise ConnectionError("the library could not enter")
        except Exception:
            self.drop(zk)
            raise
        return Grant(barrier, me)

    def leave(self, grant):
        over = grant.lost
        try:
            if not returns(grant.lock.leave, None, grant.cancelled):
                raise TimeoutError("given up: the library goes on waiting, and its session was ended")
        except Exception:
            self.drop(grant.lock.client)
            raise
        if over:
            raise NotHeld("the session had ended before")

    def acquire(self, name, timeout, cancelled, mode=None, permits=1, capacity=1, parties=1):
        if mode == "party":
            return self.enter(name, timeout, cancelled, parties)
        me, breaks = owner(self.process), self.breaks
        if permits != 1:
            raise Unsupported("%d permits at a time" % permits)
        lock, there = self.recipe(name, me, mode, capacity)
        if cancelled:
            cancelled.then = lock.cancel
            if cancelled.is_set():
                return None
        try:
            if lock.acquire(timeout=timeout):
                return Grant(lock, me)
        except (LockTimeout, CancelledError):
            pass
        # It removes its node now, if it can and knows of it, and does not tell whether it could.
        if self.breaks != breaks or self.zk.state != KazooState.CONNECTED:
            raise ConnectionError("the connection broke: the node may still be there")
        if me in there():
            raise ConnectionError("the library has left its node behind")
        return None

    def release(self, grant):
        if "party" in self.modes:
            return self.leave(grant)
        # It is False for a lock that is not held, and does not look at what its delete deleted.
        if not grant.lock.release():
            raise NotHeld("the library says that it is not held")


main(Kazoo())
