// A deliberately naive lock, a control: SETNX, then EXPIRE, then DEL by whoever believes that it
// holds it. It was written after docs/first-driver.md and nothing else.
const Redis = require("ioredis");
let redis, ttl;
const cancelled = new Set();
const sleep = (t) => new Promise((done) => setTimeout(done, t));

async function handle(q) {
  switch (q.op) {
    case "open": {
      const [host, port] = q.open.endpoints[0].split(":");
      redis = new Redis({ host, port: Number(port), commandTimeout: 1000, maxRetriesPerRequest: 0, retryStrategy: () => 50 });
      redis.on("error", (err) => console.error(String(err)));
      ttl = Math.floor(q.open.ttl / 1e6);
      return { version: 1, traits: { lock: "a naive SETNX in JavaScript", wait: "spin", least_ttl: 50e6, free_within: q.open.ttl + 20e6 } };
    }
    case "acquire": {
      const end = q.timeout ? performance.now() + q.timeout / 1e6 : Infinity;
      while ((await redis.setnx("lock:" + q.lock, "1")) === 0) {
        if (cancelled.has(q.id) || performance.now() >= end) return { error: "not-acquired" };
        await sleep(10);
      }
      await redis.pexpire("lock:" + q.lock, ttl);
      leases.set(q.id, q.lock);
      return { lease: q.id };
    }
    case "release":
      if (!leases.has(q.lease)) return { error: "not-held" };
      await redis.del("lock:" + leases.get(q.lease));
      leases.delete(q.lease);
      return {};
    case "ask":
      return leases.has(q.lease) ? {} : { error: "not-held" };
    case "close":
      return {};
  }
  return { error: "unsupported" };
}

const leases = new Map();

async function answer(q) {
  const reply = await handle(q).catch((err) => ({ error: "unknown", message: String(err) }));
  process.stdout.write(JSON.stringify({ id: q.id, ...reply }) + "\n", () => q.op === "close" && process.exit(0));
}

require("readline")
  .createInterface({ input: process.stdin })
  .on("line", (line) => {
    const q = JSON.parse(line);
    if (q.op === "cancel") cancelled.add(q.target);
    else answer(q);
  })
  .on("close", () => process.exit(0));
