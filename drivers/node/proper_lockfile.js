// proper-lockfile as it is: mkdir, and the mtime of the directory that was made, renewed while it is held.
//
// The endpoint is a directory in which all clients lock. Options: update (ms between two renewals, default
// half of the TTL), retries (of the library, within each try of the driver; default 0: its retries know neither
// a deadline nor a cancel).
const lockfile = require("proper-lockfile");
const { getLocks } = require("proper-lockfile/lib/lockfile");
const { join } = require("path");
const { main, spin, versions, ms, NotHeld } = require("./torture_driver");

const pause = 50; // ms between two tries

const lock = {
  open(o) {
    const options = o.options || {};
    this.directory = o.endpoints[0];
    this.stale = ms(o.ttl);
    this.update = Number(options.update || this.stale / 2);
    this.retries = { retries: Number(options.retries || 0), minTimeout: pause, maxTimeout: pause };
    return {
      lock: versions("proper-lockfile"), wait: "spin", renews: true, watched: true, model: "lease", least_ttl: 2e9, retry: pause * 1e6,
      // The first lock of a process is dated up to 1.005 s ahead, by which the library learns how exact the times are.
      free_within: o.ttl + 1005e6 + pause * 1e6 * (1 + this.retries.retries),
      clock: "the wall clocks of the clients, and the file system's (mtime)",
      blind_release: "release removes the directory, whoever made it",
    };
  },

  async acquire(q, call) {
    const grant = {};
    const options = { stale: this.stale, update: this.update, retries: this.retries, realpath: false, onCompromised: () => this.driver.lose(grant) };
    grant.give = await spin(call, () => pause, async () => {
      try {
        return await lockfile.lock(join(this.directory, q.lock), options);
      } catch (err) {
        if (err.code === "ELOCKED") return null;
        throw err;
      }
    });
    return grant.give && grant;
  },

  async release(grant) {
    try {
      await grant.give();
    } catch (err) {
      if (err.code === "ERELEASED" || err.code === "ENOTACQUIRED") throw new NotHeld(err.message);
      throw err;
    }
  },

  // The library removes all that it holds as the process exits: a crash does not.
  drop() {
    const held = getLocks();
    for (const file in held) delete held[file];
  },
};

main(lock);
