"""The locks of OpenStack's tooz as they are, on the backend that the option backend names: file, redis, etcd (over
its gateway), memcached, postgresql, mysql, zookeeper.

The heart of the coordinator beats in the thread that tooz starts for it. Each try is one of the library's
with blocking=False, and pauses of 50 ms between two of them: its own retries are up to a second apart,
and cannot be cancelled. tooz tells nobody that a lock is lost, so the promise lasts until the release.
"""
import logging, threading, time
from importlib.metadata import version
import etcd3gw
from etcd3gw.client import Etcd3Client
from tooz import coordination
from torture_driver import Grant, NotHeld, Refused, main, owner

logging.basicConfig(level=logging.CRITICAL)
etcd3gw.client = Etcd3Client  # tooz 3.1.0 gives it an argument (api_path) that the function of etcd3gw 2.0.0 lacks

PAUSE = 0.05
SECOND = 1_000_000_000
BLIND = "release does not look at what the server answered"
# By the option: the URL for endpoints and a time in s, how soon after the TTL the lock of a client that is gone is
# free (None: there is no TTL), and what else is declared.
BACKENDS = {
    "file": ("file://{0}", None, {"clock": "none: the kernel ends it with the process"}),
    "redis": ("redis://{0}?timeout={s}&socket_timeout=1", 0, {"clock": "the Redis server's wall clock", "keys": "redis:b'_tooz'_b'*'_lock"}),
    "etcd": ("etcd3+http://{0}?timeout={s}&api_version=v3", 2 * SECOND, {"clock": "etcd's lease"}),
    "memcached": ("memcached://{0}?timeout={s}", SECOND, {"clock": "memcached's monotonic clock", "least_ttl": 3 * SECOND}),
    "postgresql": ("postgresql://postgres@{0}/postgres", None, {"clock": "none: the session ends it", "blind_release": BLIND}),
    "mysql": ("mysql://root@{0}/mysql", None, {"clock": "none: the session ends it", "blind_release": BLIND}),
    "zookeeper": ("zookeeper://{all}?timeout={s}", SECOND, {"clock": "ZooKeeper's monotonic clock (session)", "blind_release": BLIND}),
}


class Tooz:
    def open(self, o):
        self.backend = (o.get("options") or {}).get("backend", "redis")
        url, late, more = BACKENDS[self.backend]
        self.url = url.format(*o["endpoints"], all=",".join(o["endpoints"]), s=max(1, o["ttl"] // SECOND))  # whole seconds
        self.process, self.coordinator, self.starting = o.get("process", 0), None, threading.Lock()
        traits = {"lock": "tooz %s, %s" % (version("tooz"), self.backend), "wait": "spin", "model": "lease", "retry": int(PAUSE * SECOND)}
        if late is None:
            return {**traits, "free_within": SECOND, **more}
        return {**traits, "renews": True, "least_ttl": 2 * SECOND, "free_within": o["ttl"] + late + traits["retry"], **more}

    def start(self):
        """Connects where that was not done: nothing has been asked for until it could be."""
        with self.starting:
            if self.coordinator is None:
                try:
                    c = coordination.get_coordinator(self.url, owner(self.process).encode())
                    c.start(start_heart=True)
                except Exception as e:
                    raise Refused(e)
                self.coordinator = c

    def acquire(self, name, timeout, cancelled):
        over, end = cancelled or threading.Event(), time.monotonic() + (timeout or 1e9)
        self.start()
        lock = self.coordinator.get_lock(name.encode())
        while not lock.acquire(blocking=False):
            if over.wait(max(0, min(PAUSE, end - time.monotonic()))) or time.monotonic() >= end:
                return None
        if self.backend == "redis":
            return Grant(lock, lock._lock.local.token.decode())
        return Grant(lock)

    def release(self, grant):
        if not grant.lock.release():
            raise NotHeld("the library says that it is not held")


main(Tooz())
