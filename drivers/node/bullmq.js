// A job of BullMQ as it is: while a worker works on it, a lock with the worker's token is on it.
//
// A lock is a queue with one job, which is there from the first acquire on. An acquire fetches it as "manually
// fetching jobs" of BullMQ's manual says; the worker's own lock manager renews its lock at half of lockDuration,
// and tells when it could not; every worker looks for stalled jobs. A release puts the job back (moveToWait),
// which the token guards. Options: stalled (ms between two looks for stalled jobs, default half of the TTL; the
// library's own default is 30 s).
const { Queue, Worker } = require("bullmq");
const { main, spin, owner, versions, ms, NotHeld } = require("./torture_driver");

const pause = 20; // ms between two tries
const job = "held"; // the id of each queue's job

const lock = {
  open(o) {
    const options = o.options || {};
    const [host, port] = o.endpoints[0].split(":");
    const connection = { host, port: Number(port), maxRetriesPerRequest: 0, commandTimeout: 1000, connectTimeout: 1000, retryStrategy: () => 50 };
    this.process = o.process || 0;
    this.stalled = Number(options.stalled || ms(o.ttl) / 2);
    this.queues = new Map();
    // maxStalledCount: a job that has stalled more often would fail for good, and the lock be gone.
    this.options = { connection, autorun: false, lockDuration: ms(o.ttl), stalledInterval: this.stalled, maxStalledCount: 1e9 };
    return {
      lock: versions("bullmq", "ioredis"), wait: "spin", renews: true, watched: true, model: "lease", least_ttl: 200e6, retry: pause * 1e6,
      // The lock ends, one look finds the job without it, and the next one puts it back.
      free_within: o.ttl + 2 * this.stalled * 1e6 + pause * 1e6, keys: "redis:bull:*:held:lock", clock: "the Redis server's wall clock",
    };
  },

  // queue is one of these for each lock, with its worker.
  queue(name) {
    if (!this.queues.has(name)) {
      const made = { queue: new Queue(name, { connection: this.options.connection }), worker: new Worker(name, null, this.options), held: null };
      for (const part of [made.queue, made.worker]) part.on("error", () => {}); // calls have errors of their own
      made.worker.on("lockRenewalFailed", () => made.held && this.driver.lose(made.held));
      made.worker.lockManager.start();
      made.worker.startStalledCheckTimer();
      this.queues.set(name, made);
    }
    return this.queues.get(name);
  },

  async acquire(q, call) {
    const on = this.queue(q.lock.replaceAll(":", "_")); // no name of a queue has a colon
    const grant = { owner: owner(this.process), on };
    return spin(call, () => pause, async () => {
      await on.queue.add("work", {}, { jobId: job }); // does nothing where it is there
      grant.job = await on.worker.getNextJob(grant.owner, { block: false });
      if (!grant.job) return null;
      on.held = grant;
      on.worker.lockManager.trackJob(job, grant.owner, Date.now());
      return grant;
    });
  },

  async release(grant) {
    const { on } = grant;
    if (on.held === grant) {
      on.worker.lockManager.untrackJob(job);
      on.held = null;
    }
    try {
      await grant.job.moveToWait(grant.owner);
    } catch (err) {
      if (/lock|not in the active state|Missing key/i.test(err.message)) throw new NotHeld(err.message);
      throw err;
    }
  },
};

main(lock);
