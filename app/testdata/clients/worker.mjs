// A worker that does one key after another under a lock, or without one: worker.mjs locked|unlocked DIRECTORY
import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { tell } from '../../../examples/app/torture.mjs';

const [how, lock] = process.argv.slice(2);
for (let n = 1; ; n++) {
  if (how === 'locked') {
    try {
      fs.mkdirSync(lock);
    } catch {
      await sleep(5);
      continue;
    }
  }
  await tell('begin', 'payout', `${process.pid}-${n}`);
  await sleep(20);
  await tell('end', 'payout', `${process.pid}-${n}`);
  if (how === 'locked') fs.rmdirSync(lock);
  console.log('at work');
  await sleep(10);
}
