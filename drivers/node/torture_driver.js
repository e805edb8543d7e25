// The driver protocol (docs/driver-protocol.md) for locks in Node.
//
// A lock is an object with open(o) -> traits, acquire(q, call) -> a grant, or null (refused until
// the timeout), and release(grant). Whatever they throw is an unknown outcome, unless it is a
// Refused, a NotHeld or an Unsupported. Where it has modes each acquire has one of them; drop(), if it is
// there, is called before the process exits, which must release nothing. A lock whose tries wait says so: waits.
// A grant may have an owner, a token and, where its end is told, until: ms, as of Date.now().
//
// Libraries of Node take the time from Date.now(). That is what the request clock moves.
const { readFileSync } = require("fs");
const { join } = require("path");
const { randomUUID } = require("crypto");

class Refused extends Error {}
class NotHeld extends Error {}
class Unsupported extends Error {}

const hostNow = Date.now;
let ahead = 0; // ms
Date.now = () => hostNow() + ahead;

const version = (p) => JSON.parse(readFileSync(join(__dirname, "node_modules", p, "package.json"))).version;
const versions = (...packages) => packages.map((p) => p + " " + version(p)).join(", ") + ", node " + process.versions.node;
const ms = (ns) => Math.floor(ns / 1e6);
const owner = (process) => "p" + process + ":" + randomUUID().replaceAll("-", "");
const sleep = (t) => new Promise((done) => setTimeout(done, t));

// spin makes single tries until the deadline, with pauses in between. A try that says null was refused.
async function spin(call, pause, attempt) {
  for (;;) {
    const got = await attempt();
    if (got !== null) return got;
    const until = performance.now() + pause();
    do {
      if (call.over()) return null;
      await sleep(Math.min(10, until - performance.now()));
    } while (performance.now() < until);
  }
}

class Call {
  constructor(timeout, once) {
    this.end = timeout ? performance.now() + timeout / 1e6 : Infinity;
    this.cancelled = false;
    this.once = once; // does not wait
  }
  over() {
    return this.once || this.cancelled || performance.now() >= this.end;
  }
}

class Driver {
  constructor(lock) {
    this.lock = lock;
    this.leases = new Map();
    this.calls = new Map();
    this.last = 0;
  }

  send(reply, then) {
    process.stdout.write(JSON.stringify(reply) + "\n", then);
  }

  // lose tells that a grant is over although it was not released.
  lose(grant) {
    if (grant.lost || grant.released) return;
    grant.lost = process.hrtime.bigint();
    if (grant.lease) this.tell(grant);
  }

  tell(grant) {
    this.send({ event: "lost", lease: grant.lease, mono: Number(grant.lost) });
  }

  async open(q) {
    const traits = await this.lock.open(q.open);
    this.send({ id: q.id, version: 1, try: !this.lock.modes && !this.lock.waits, traits });
  }

  async acquire(q) {
    if (q.op === "try" && this.lock.waits) throw new Unsupported("no try");
    if (!(this.lock.modes || [undefined]).includes(q.mode)) throw new Unsupported("no mode " + q.mode);
    const call = new Call(q.timeout, q.op === "try");
    this.calls.set(q.id, call);
    try {
      const grant = await this.lock.acquire(q, call);
      if (!grant) throw new Refused("held by another");
      grant.lease = ++this.last;
      this.leases.set(grant.lease, grant);
      this.send({ id: q.id, lease: grant.lease, token: grant.token, owner: grant.owner, remaining: remaining(grant) });
      if (grant.lost) this.tell(grant);
    } finally {
      this.calls.delete(q.id);
    }
  }

  async release(q) {
    const grant = this.leases.get(q.lease);
    if (!grant || grant.released) throw new NotHeld("released before, or never granted");
    try {
      await this.lock.release(grant);
    } catch (err) {
      if (err instanceof NotHeld) grant.released = true;
      throw err;
    }
    grant.released = true;
    this.send({ id: q.id });
  }

  async handle(q) {
    const id = q.id;
    switch (q.op) {
      case "open":
        return this.open(q);
      case "acquire":
      case "try":
        return this.acquire(q);
      case "release":
        return this.release(q);
      case "ask": {
        const grant = this.leases.get(q.lease);
        if (!grant || grant.released || grant.lost || remaining(grant) <= 0) throw new NotHeld("it is over");
        return this.send({ id, remaining: remaining(grant) });
      }
      case "clock":
        ahead = (q.offset || 0) / 1e6;
        return this.send({ id });
      case "cancel":
        if (this.calls.has(q.target)) this.calls.get(q.target).cancelled = true;
        return;
      case "close":
        return this.send({ id }, () => this.exit());
      default:
        throw new Unsupported("no operation " + q.op);
    }
  }

  fail(q, err) {
    const error = err instanceof Refused ? "not-acquired" : err instanceof NotHeld ? "not-held" : err instanceof Unsupported ? "unsupported" : "unknown";
    this.send({ id: q.id, error, message: String((err && err.message) || err) });
  }

  exit() {
    if (this.lock.drop) this.lock.drop();
    process.exit(0);
  }
}

const remaining = (grant) => (grant.until === undefined ? undefined : Math.round((grant.until - Date.now()) * 1e6));

async function bench(lock, n) {
  const e = process.env, took = [];
  await lock.open({ endpoints: e.TORTURE_ENDPOINTS.split(","), ttl: Number(e.TORTURE_TTL_NS), process: Number(e.TORTURE_PROCESS) });
  for (let i = 0; i < n; i++) {
    const start = process.hrtime.bigint();
    await lock.release(await lock.acquire({ lock: "cost" }, new Call()));
    took.push(Number(process.hrtime.bigint() - start));
  }
  process.stdout.write(JSON.stringify(took), () => process.exit(0));
}

function main(lock) {
  const driver = (lock.driver = new Driver(lock));
  if (process.argv[2] === "bench") return bench(lock, Number(process.argv[3]));
  require("readline")
    .createInterface({ input: process.stdin })
    .on("line", (line) => {
      if (!line.trim()) return;
      const q = JSON.parse(line);
      driver.handle(q).catch((err) => driver.fail(q, err));
    })
    .on("close", () => driver.exit()); // the harness is gone: nothing is released
}

module.exports = { main, spin, owner, versions, ms, Refused, NotHeld, Unsupported };
