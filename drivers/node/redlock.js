// redlock with ioredis, as they are; automatic extension is not used. Option: node-timeout, how
// long the answer to a command is waited for ("1m"; 1 s).
const { readFileSync } = require("fs");
const { join } = require("path");
const readline = require("readline");
const Redis = require("ioredis");
const { default: Redlock, ExecutionError, ResourceLockedError } = require("redlock");

const version = (p) => JSON.parse(readFileSync(join(__dirname, "node_modules", p, "package.json"))).version;
const retryDelay = 200, retryJitter = 100; // ms, the library's own defaults
const ms = (ns) => Math.floor(ns / 1e6);
const leases = new Map();
let last = 0, redlock, ttl;

// timeout reads 500ms, 1s, 1m.
function timeout(text) {
  const [, n, unit] = /^(\d+)(ms|s|m)$/.exec(text);
  return Number(n) * { ms: 1, s: 1000, m: 60000 }[unit];
}

function open(o) {
  const commandTimeout = timeout((o.options || {})["node-timeout"] || "1s");
  const clients = o.endpoints.map((e) => {
    const [host, port] = e.split(":");
    const c = new Redis({ host, port: Number(port), maxRetriesPerRequest: 0, commandTimeout, connectTimeout: 1000, retryStrategy: () => 50 });
    c.on("error", () => {}); // commands have errors of their own
    return c;
  });
  ttl = ms(o.ttl);
  redlock = new Redlock(clients, { retryCount: 0, retryDelay, retryJitter });
  redlock.on("error", () => {}); // as its manual asks: a node that is down is no news
  return {
    lock: `redlock ${version("redlock")}, ioredis ${version("ioredis")}, node ${process.versions.node}`,
    wait: "spin", validity: "TTL - elapsed - drift", model: "timed-lease", keys: "redis", least_ttl: 50e6, retry: (retryDelay + retryJitter) * 1e6,
    free_within: o.ttl + (retryDelay + retryJitter) * 1e6, clock: "the Redis servers' wall clocks",
  };
}

// refused tells whether every server answered every try, and a majority with a refusal.
async function refused(err) {
  if (!(err instanceof ExecutionError)) return false;
  for (const a of await Promise.all(err.attempts))
    for (const e of a.votesAgainst.values()) if (!(e instanceof ResourceLockedError)) return false;
  return true;
}

const sleep = (t) => new Promise((done) => setTimeout(done, t));

// acquire makes single tries until the deadline, with the library's own pauses:
// its retryCount knows no deadline and cannot be cancelled.
async function acquire(q, call) {
  const end = q.timeout ? performance.now() + q.timeout / 1e6 : Infinity;
  for (;;) {
    try {
      return await redlock.acquire(["lock:" + q.lock], ttl);
    } catch (err) {
      if (!(await refused(err))) throw err;
    }
    const pause = Math.max(0, retryDelay + Math.floor((Math.random() * 2 - 1) * retryJitter));
    for (const until = performance.now() + pause; performance.now() < until; ) {
      if (call.cancelled || performance.now() >= end) throw { refusal: true, message: "held by another" };
      await sleep(Math.min(10, until - performance.now()));
    }
  }
}

const remaining = (l) => Math.round((l.expiration - Date.now()) * 1e6);
const send = (reply) => process.stdout.write(JSON.stringify(reply) + "\n");

async function release(number) {
  const l = leases.get(number);
  if (!l || l.released) throw { gone: true, message: "released before, or never granted" };
  try {
    await l.lock.release();
  } catch (err) {
    if (!(await refused(err))) throw err;
    l.released = true;
    throw { gone: true, message: "the keys are not this lock's" };
  }
  l.released = true;
}

const calls = new Map();

async function handle(q) {
  const id = q.id;
  switch (q.op) {
    case "open":
      return send({ id, version: 1, traits: open(q.open) });
    case "acquire": {
      const call = {};
      calls.set(id, call);
      try {
        const lock = await acquire(q, call);
        leases.set(++last, { lock });
        return send({ id, lease: last, owner: lock.value, remaining: remaining(lock) });
      } finally {
        calls.delete(id);
      }
    }
    case "release":
      await release(q.lease);
      return send({ id });
    case "ask": {
      const l = leases.get(q.lease);
      if (!l || l.released || remaining(l.lock) <= 0) throw { gone: true };
      return send({ id, remaining: remaining(l.lock) });
    }
    case "cancel":
      if (calls.has(q.target)) calls.get(q.target).cancelled = true;
      return;
    case "close":
      return process.stdout.write(JSON.stringify({ id }) + "\n", () => process.exit(0));
    default:
      return send({ id, error: "unsupported", message: "no operation " + q.op });
  }
}

function fail(q, err) {
  const error = err.refusal ? "not-acquired" : err.gone ? "not-held" : "unknown";
  send({ id: q.id, error, message: String(err.message || err) });
}

async function bench(n) {
  const e = process.env, took = [];
  open({ endpoints: e.TORTURE_ENDPOINTS.split(","), ttl: Number(e.TORTURE_TTL_NS) });
  for (let i = 0; i < n; i++) {
    const start = process.hrtime.bigint();
    await (await redlock.acquire(["lock:cost"], ttl)).release();
    took.push(Number(process.hrtime.bigint() - start));
  }
  process.stdout.write(JSON.stringify(took), () => process.exit(0));
}

if (process.argv[2] === "bench") bench(Number(process.argv[3]));
else
  readline.createInterface({ input: process.stdin })
    .on("line", (line) => {
      if (!line.trim()) return;
      const q = JSON.parse(line);
      handle(q).catch((err) => fail(q, err));
    })
    .on("close", () => process.exit(0)); // the harness is gone: nothing is released
