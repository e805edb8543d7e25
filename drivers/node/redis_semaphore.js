// redis-semaphore with ioredis, as they are: Mutex, RedlockMutex, MultiSemaphore and RedlockMultiSemaphore.
//
// With one endpoint it is the lock of one Redis, with several the Redlock version; the option lock=semaphore makes
// it the one of permits. Further option: node-timeout ("1m"; 1 s). Each try is one of the library's, with the library's own pause: its acquireTimeout is
// no deadline of a request that is under way. Its Redlocks count a server that did not answer as
// one that refused, so the driver looks at the commands that failed, and calls such a try unknown.
const { Mutex, RedlockMutex, MultiSemaphore, RedlockMultiSemaphore } = require("redis-semaphore");
const { connect } = require("./connect");
const { main, spin, owner, versions, ms, NotHeld } = require("./torture_driver");

const pause = 10; // ms between two tries, the library's own default

const lock = {
  open(o) {
    const options = o.options || {};
    this.permits = options.lock === "semaphore";
    this.process = o.process || 0;
    this.timeout = ms(o.ttl);
    const patience = options["node-timeout"] || "1s";
    this.failed = 0; // commands so far
    this.clients = o.endpoints.map((e) => connect(e, patience, () => this.failed++));
    if (this.permits) this.modes = ["permits"];
    const name = (o.endpoints.length > 1 ? "Redlock" : "") + (this.permits ? "MultiSemaphore" : "Mutex");
    const traits = {
      lock: name + " of " + versions("redis-semaphore", "ioredis"), wait: "spin", renews: true, watched: true, least_ttl: 50e6, retry: pause * 1e6,
      free_within: o.ttl + 3 * pause * 1e6, blind_release: "release says nothing of what was there",
    };
    if (this.permits) return { ...traits, kind: "semaphore", clock: "the wall clocks of the clients" };
    return { ...traits, model: "lease", keys: "redis:mutex:lock:*", clock: "the Redis servers' wall clocks" };
  },

  recipe(q, grant) {
    const options = {
      identifier: grant.owner, lockTimeout: this.timeout, acquireTimeout: 60000, acquireAttemptsLimit: 1, retryInterval: 0,
      onLockLost: () => this.driver.lose(grant),
    };
    const [name, many] = ["lock:" + q.lock, this.clients.length > 1];
    if (!this.permits) return many ? new RedlockMutex(this.clients, name, options) : new Mutex(this.clients[0], name, options);
    const kind = many ? RedlockMultiSemaphore : MultiSemaphore;
    return new kind(many ? this.clients : this.clients[0], name, q.capacity, q.permits, options);
  },

  async acquire(q, call) {
    const grant = { owner: owner(this.process) };
    grant.lock = this.recipe(q, grant);
    return spin(call, () => pause, async () => {
      const failed = this.failed;
      if (await grant.lock.tryAcquire()) return grant;
      if (this.failed > failed) throw new Error("a server did not answer");
      return null;
    });
  },

  async release(grant) {
    const held = grant.lock.isAcquired;
    await grant.lock.release();
    if (!held) throw new NotHeld("the library had told its loss");
  },
};

// A renewal that fails is a rejection that nobody handles: the library leaves it to the program, which Node would end.
process.on("unhandledRejection", (err) => console.error("a renewal failed: " + err));

main(lock);
