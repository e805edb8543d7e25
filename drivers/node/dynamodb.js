// dynamodb-lock-client's FailOpen as it is: an item with a lease, written under a condition on its guid and its
// fencing token, and written anew at each heart beat. It needs aws-sdk 2.
//
// The library tries once and waits for the lease that it has read; the driver tries again. Each try has a view of
// the table that writes nothing after the caller has given up. Options: heartbeat (ms between two beats, default a
// third of the TTL), retries (of the SDK, of a request that failed; default 0: the SDK's own default of 10 knows no
// deadline), trust-local-time=true (the library's trustLocalTime: a waiter counts from the time in the item).
const { main, spin, owner, versions, ms } = require("./torture_driver");

// The library asks new Date(), not Date.now(): the request clock moves that as well.
const Host = Date;
globalThis.Date = class extends Host {
  constructor(...at) {
    super(...(at.length ? at : [Host.now()]));
  }
};

process.env.AWS_SDK_JS_SUPPRESS_MAINTENANCE_MODE_MESSAGE = "1";
const AWS = require("aws-sdk");
const { FailOpen } = require("dynamodb-lock-client");

const patience = 1000; // ms, of a request
const pause = 20; // ms between two tries
const given = Object.assign(new Error("given up before it was written"), { code: "GivenUp" });

const lock = {
  waits: true, // a try waits for the lease that it has read
  open(o) {
    const options = o.options || {};
    const ttl = ms(o.ttl);
    this.process = o.process || 0;
    this.local = options["trust-local-time"] === "true";
    this.table = new AWS.DynamoDB.DocumentClient({
      endpoint: "http://" + o.endpoints[0], region: "us-east-1", accessKeyId: "torture", secretAccessKey: "torture",
      maxRetries: Number(options.retries || 0), httpOptions: { connectTimeout: patience, timeout: patience },
    });
    this.config = {
      lockTable: "locks", partitionKey: "id", leaseDurationMs: ttl, retryCount: 0,
      heartbeatPeriodMs: Number(options.heartbeat || Math.floor(ttl / 3)), ...(this.local && { trustLocalTime: true }),
    };
    return {
      lock: versions("dynamodb-lock-client", "aws-sdk"), wait: "spin", renews: true, token: true, watched: true, model: "lease", least_ttl: 500e6,
      retry: o.ttl + pause * 1e6,
      // Who read the item before the last beat waits in vain, reads again, and waits for a second lease.
      free_within: 2 * o.ttl + 2 * pause * 1e6,
      clock: this.local ? "the wall clocks of the clients, which are compared" : "each waiter's own monotonic clock, from when it read the item",
      blind_release: "release answers without an error where the item is another's by then",
    };
  },

  // view is the table for one try: nothing is written once it was given up.
  view(t) {
    const { table } = this;
    return {
      get: (q, done) => table.get(q, done),
      delete: (q, done) => table.delete(q, done),
      put: (q, done) => {
        if (t.over) return done(given);
        t.writes = true;
        table.put(q, (err, data) => {
          t.writes = false;
          done(err, data);
        });
      },
    };
  },

  // once is one try of the library; null: it was refused, or given up while nothing was being written.
  once(q, call, name) {
    const t = { over: false, writes: false };
    return new Promise((done, fail) => {
      const look = setInterval(() => {
        if (!call.over() || t.writes) return;
        t.over = true;
        clearInterval(look);
        done(null);
      }, 10);
      new FailOpen({ ...this.config, owner: name, dynamodb: this.view(t) }).acquireLock(q.lock, (err, held) => {
        clearInterval(look);
        if (held) return done(held);
        err.code === "FailedToAcquireLock" || err === given ? done(null) : fail(err);
      });
    });
  },

  async acquire(q, call) {
    const name = owner(this.process);
    const held = await spin(call, () => pause, () => this.once(q, call, name));
    if (!held) return null;
    const grant = { owner: name, token: held.fencingToken, held };
    held.on("error", () => this.driver.lose(grant)); // its heart beats no more
    return grant;
  },

  release: (grant) => new Promise((done, fail) => grant.held.release((err) => (err ? fail(err) : done()))),
};

main(lock);
