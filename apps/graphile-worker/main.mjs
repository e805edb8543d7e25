// One replica of a service that works off jobs of graphile-worker; with "load", what puts them in the queue.
import { run, makeWorkerUtils } from 'graphile-worker';
const connectionString = process.env.DATABASE_URL;
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

if (process.argv[2]) {
  const utils = await makeWorkerUtils({ connectionString });
  await utils.migrate();
  await utils.withPgClient((db) => db.query('CREATE TABLE IF NOT EXISTS payouts (job text)'));
  while (process.argv[2] === 'load') {
    const job = await utils.addJob('payout', {});
    console.log(`queued ${job.id}`);
    await pause(500);
  }
  await utils.release();
} else {
  const payout = async (_, { job, withPgClient }) => {
    console.log(`begin ${job.id}`);
    await pause(500);
    await withPgClient((db) => db.query('INSERT INTO payouts VALUES ($1)', [job.id]));
    console.log(`done ${job.id}`);
  };
  await run({ connectionString, concurrency: 1, pollInterval: 200, noHandleSignals: true, taskList: { payout } });
  console.log('started');
}
