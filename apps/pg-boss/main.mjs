// One replica of a service that works off jobs of pg-boss; with "load", what puts them in the queue.
import { PgBoss } from 'pg-boss';
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

const boss = new PgBoss({ connectionString: process.env.DATABASE_URL, superviseIntervalSeconds: 1, monitorIntervalSeconds: 1 });
boss.on('error', (err) => console.log('error:', err.message));
await boss.start();

switch (process.argv[2]) {
  case 'first': // a job that takes longer than five seconds is given to another
    await boss.createQueue('payout', { expireInSeconds: 5, retryLimit: 5 });
    await boss.stop();
    break;
  case 'load':
    for (;;) {
      console.log(`queued ${await boss.send('payout', {})}`);
      await pause(500);
    }
  default:
    await boss.work('payout', { pollingIntervalSeconds: 0.5 }, async ([job]) => {
      console.log(`begin ${job.id}`);
      await pause(500);
      console.log(`done ${job.id}`);
    });
    console.log('started');
}
