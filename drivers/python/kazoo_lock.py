"""kazoo's Lock recipe as it is: ephemeral sequential nodes, each waits for the one before it.

A listener, which kazoo's manual asks for, tells a lease lost when the session is LOST. With the
option suspended=lost it does so already when the connection is gone (SUSPENDED).
"""
import logging
import kazoo
from kazoo.client import KazooClient, KazooState
from kazoo.exceptions import CancelledError, LockTimeout
from torture_driver import Grant, NotHeld, main, owner

logging.basicConfig(level=logging.ERROR)


class Kazoo:
    def open(self, o):
        options = o.get("options") or {}
        self.process = o.get("process", 0)
        self.lost = {KazooState.LOST}
        if options.get("suspended") == "lost":
            self.lost.add(KazooState.SUSPENDED)
        self.breaks = 0  # of the connection
        self.zk = KazooClient(hosts=",".join(o["endpoints"]), timeout=o["ttl"] / 1e9)
        self.zk.add_listener(self.changed)
        self.zk.start(timeout=10)
        return {
            "lock": "kazoo %s Lock" % kazoo.__version__, "wait": "queue", "fair": True, "renews": True, "watched": True, "keys": "zookeeper",
            "least_ttl": 1_000_000_000, "model": "lease", "free_within": 2 * o["ttl"],
            "blind_release": "release does not look at what its delete deleted", "clock": "ZooKeeper's monotonic clock (session)",
        }

    def changed(self, state):
        if state != KazooState.CONNECTED:
            self.breaks += 1
        if state in self.lost:
            self.driver.lose()

    def acquire(self, name, timeout, cancelled):
        me, breaks = owner(self.process), self.breaks
        lock = self.zk.Lock("/lock/" + name, me)
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
        if me in lock.contenders():
            raise ConnectionError("the library has left its node in the queue")
        return None

    def release(self, grant):
        # It is False for a lock that is not held, and does not look at what its delete deleted.
        if not grant.lock.release():
            raise NotHeld("the library says that it is not held")


main(Kazoo())
