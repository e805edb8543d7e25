// Connections of ioredis that neither wait for ever nor send a command twice, and tell which commands failed.
const Redis = require("ioredis");

// connect calls failed for each command that was not answered, or with an error. patience: ms, of a command.
function connect(endpoint, patience, failed) {
  const [host, port] = endpoint.split(":");
  const client = new Redis({ host, port: Number(port), maxRetriesPerRequest: 0, commandTimeout: patience, connectTimeout: 1000, retryStrategy: () => 50 });
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
