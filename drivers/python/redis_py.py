"""redis-py's Lock as it is: SET NX PX, a token, release in Lua, waiters that sleep 0.1 s.

It is given the owner as its token, so that the harness can look at the server. Options:
socket_timeout (s, default 1; the library's own default is to wait for ever) and
validity=ttl (the driver then declares an end, start + timeout, which the library does not tell).
"""
import time
import redis
from redis.exceptions import ConnectionError, LockError, TimeoutError
from torture_driver import Grant, NotHeld, Refused, main, owner


class RedisPy:
    def open(self, o):
        options = o.get("options") or {}
        host, port = o["endpoints"][0].rsplit(":", 1)
        wait = float(options.get("socket_timeout", "1"))
        self.redis = redis.Redis(host, int(port), socket_timeout=wait, socket_connect_timeout=wait)
        self.ttl, self.process = o["ttl"] // 1_000_000 / 1e3, o.get("process", 0)  # Redis knows whole milliseconds
        self.bounded = options.get("validity") == "ttl"
        traits = {
            "lock": "redis-py %s Lock" % redis.__version__, "wait": "spin", "least_ttl": 50_000_000, "model": "lease",
            "free_within": o["ttl"] + 100_000_000, "retry": 100_000_000, "keys": "redis", "clock": "the Redis server's wall clock",
        }
        if self.bounded:
            traits.update(validity="TTL", model="timed-lease")
        return traits

    def acquire(self, name, timeout, cancelled):
        # thread_local=False: the release comes on another thread.
        lock = self.redis.lock("lock:" + name, timeout=self.ttl, thread_local=False)
        me, start = owner(self.process), time.time()
        try:
            if not lock.acquire(token=me, blocking_timeout=timeout):
                # It gives up when its next try would come too late; the caller still waits.
                cancelled.wait(max(0, start + timeout - time.time()))
                return None
        except (ConnectionError, TimeoutError) as e:
            if "connecting to" in str(e):  # there was no connection: nothing was sent
                raise Refused(e)
            raise
        # The library does not say when its last try began: counted from the call, the end is never too late.
        until = start + self.ttl if self.bounded else None
        return Grant(lock, me, until)

    def release(self, grant):
        try:
            grant.lock.release()
        except LockError as e:  # the server has another's key, or none; or the library has forgotten its token
            raise NotHeld(e)


main(RedisPy())
