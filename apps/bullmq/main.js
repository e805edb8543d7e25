// One replica of a service whose report is due every second: BullMQ's job scheduler, and a worker.
'use strict';
const { Queue, Worker } = require('bullmq');
const Redis = require('ioredis');
const connection = { host: process.env.REDIS_HOST, port: Number(process.env.REDIS_PORT), maxRetriesPerRequest: null };
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

async function main() {
  const queue = new Queue('reports', { connection });
  await queue.upsertJobScheduler('report', { every: 1000 });
  const client = new Redis(connection);
  const worker = new Worker('reports', async (job) => {
    console.log(`begin ${job.id}`);
    await pause(300);
    await client.rpush('reports', job.id);
    console.log(`done ${job.id}`);
  }, { connection, lockDuration: 5000, stalledInterval: 2000 });
  worker.on('failed', (job, err) => console.log('failed:', err.message));
  worker.on('error', (err) => console.log('error:', err.message));
  for (const c of [queue, client]) c.on('error', (err) => console.log('error:', err.message));
  await worker.waitUntilReady();
  console.log('started');
}

main();
