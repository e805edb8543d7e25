// redlock with ioredis, as they are: version 5, with the option library=redlock-4 version 4.2, with
// library=@sesamecare-oss/redlock that fork of version 5. Automatic extension is not used. Further
// option: node-timeout, how long the answer to a command is waited for ("1m"; 1 s).
//
// Each try is one of the library's, with its own pauses: its retryCount knows neither a deadline nor a cancel.
const { connect } = require("./connect");
const { main, spin, versions, ms, NotHeld } = require("./torture_driver");

const retryDelay = 200, retryJitter = 100; // ms, the libraries' own defaults

// libraries are by what the option calls them: how a lock is taken and given back, what its value is, and whether
// an error says that every server answered, and not enough of them with a yes.
const libraries = {
  "redlock": () => modern(require("redlock").default, require("redlock")),
  "@sesamecare-oss/redlock": () => modern(require("@sesamecare-oss/redlock").Redlock, require("@sesamecare-oss/redlock")),
  "redlock-4": () => {
    const Redlock = require("redlock-4");
    return {
      make: (clients, options) => new Redlock(clients, options),
      take: (redlock, key, ttl) => redlock.lock(key, ttl),
      give: (lock) => lock.unlock(),
      refused: async (err) => err instanceof Redlock.LockError, // it waits for all servers; lock.failed knows of errors
    };
  },
};

function modern(Redlock, { ExecutionError, ResourceLockedError }) {
  return {
    make: (clients, options) => new Redlock(clients, options),
    take: (redlock, key, ttl) => redlock.acquire([key], ttl),
    give: (lock) => lock.release(),
    async refused(err) {
      if (!(err instanceof ExecutionError)) return false;
      for (const a of await Promise.all(err.attempts))
        for (const e of a.votesAgainst.values()) if (!(e instanceof ResourceLockedError)) return false;
      return true;
    },
  };
}

const lock = {
  open(o) {
    const options = o.options || {}, name = options.library || "redlock", patience = options["node-timeout"] || "1s";
    this.failed = 0; // commands so far
    this.library = libraries[name]();
    this.ttl = ms(o.ttl);
    this.redlock = this.library.make(o.endpoints.map((e) => connect(e, patience, () => this.failed++)), { retryCount: 0, retryDelay, retryJitter });
    this.redlock.on(name === "redlock-4" ? "clientError" : "error", () => {}); // a node that is down is no news
    return {
      lock: versions(name, "ioredis"), wait: "spin", validity: "TTL - elapsed - drift", model: "timed-lease", keys: "redis", least_ttl: 50e6,
      retry: (retryDelay + retryJitter) * 1e6, free_within: o.ttl + (retryDelay + retryJitter) * 1e6, clock: "the Redis servers' wall clocks",
    };
  },

  // refused runs a call; what it returns is null where every server answered, and too few with a yes.
  async refused(call) {
    const failed = this.failed;
    try {
      return await call();
    } catch (err) {
      if (!(await this.library.refused(err)) || this.failed > failed) throw err;
      return null;
    }
  },

  acquire(q, call) {
    const pause = () => Math.max(0, retryDelay + Math.floor((Math.random() * 2 - 1) * retryJitter));
    return spin(call, pause, async () => {
      const got = await this.refused(() => this.library.take(this.redlock, "lock:" + q.lock, this.ttl));
      return got && { lock: got, owner: got.value, until: got.expiration };
    });
  },

  async release(grant) {
    const given = await this.refused(async () => {
      await this.library.give(grant.lock);
      return true;
    });
    if (!given) throw new NotHeld("the keys are not this lock's");
  },
};

main(lock);
