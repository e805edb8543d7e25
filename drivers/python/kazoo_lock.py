"""kazoo's Lock recipe as it is: ephemeral sequential nodes, each waits for the one before it.

A listener, which kazoo's manual asks for, tells a lease lost when the session is LOST. With the
option suspended=lost it does so already when the connection is gone (SUSPENDED). With the option lock=rw
it is the recipes ReadLock and WriteLock, with lock=semaphore the recipe Semaphore.
"""
import logging
import kazoo
from kazoo.client import KazooClient, KazooState
from kazoo.exceptions import CancelledError, LockTimeout
from torture_driver import Grant, NotHeld, Unsupported, main, owner

logging.basicConfig(level=logging.ERROR)

KINDS = {  # by the option: what the library calls it, its modes, its traits
    "lock": ("Lock", (None,), {"fair": True, "model": "lease", "keys": "zookeeper"}),
    "rw": ("ReadLock and WriteLock", (None, "shared"), {"fair": True, "kind": "rw"}),
    "semaphore": ("Semaphore", ("permits",), {"fair": True, "kind": "semaphore", "single": True}),
}


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
        self.zk = KazooClient(hosts=",".join(o["endpoints"]), timeout=o["ttl"] / 1e9)
        self.zk.add_listener(self.changed)
        self.zk.start(timeout=10)
        return {
            "lock": "kazoo %s %s" % (kazoo.__version__, recipe), "wait": "queue", "renews": True, "watched": True,
            "least_ttl": 1_000_000_000, "free_within": 2 * o["ttl"], "clock": "ZooKeeper's monotonic clock (session)",
            "blind_release": "release does not look at what its delete deleted", **traits,
        }

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

    def acquire(self, name, timeout, cancelled, mode=None, permits=1, capacity=1):
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
        # It is False for a lock that is not held, and does not look at what its delete deleted.
        if not grant.lock.release():
            raise NotHeld("the library says that it is not held")


main(Kazoo())
