// Connections of ioredis that neither wait for ever nor send a command twice, and tell which commands failed.
const Redis = require("ioredis");

// milliseconds reads 500ms, 1s, 1m.
function milliseconds(text) {
  const [, n, unit] = /^(\d+)(ms|s|m)$/.exec(text);
  return Number(n) * { ms: 1, s: 1000, m: 60000 }[unit];
}

// connect calls failed for each command that was not answered, or with an error. patience is that of a command.
function connect(endpoint, patience, failed) {
  const [host, port] = endpoint.split(":");
  const client = new Redis({ host, port: Number(port), maxRetriesPerRequest: 0, commandTimeout: milliseconds(patience), connectTimeout: 1000, retryStrategy: () => 50 });
  client.on("error", () => {}); // commands have errors of their own
  const send = client.sendCommand;
  client.sendCommand = (command, ...rest) => {
    command.promise.catch((err) => {
      if (!/NOSCRIPT/.test(err)) failed();
    });
    return send.call(client, command, ...rest);
  };
  return client;
}

module.exports = { connect };
