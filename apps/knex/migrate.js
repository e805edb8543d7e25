// One replica of a service that migrates its database at each start, as knex' manual shows. A
// deployment every three seconds brings one more migration; replicas start within half a second of each other.
'use strict';
const knex = require('knex');
const deploy = 3000;

const migration = (number) => ({
  name: `m${String(number).padStart(6, '0')}`,
  config: { transaction: false },
  async up(db) {
    console.log(`begin ${this.name}`);
    await db.raw('INSERT INTO effects (migration) VALUES (?)', [this.name]);
    await db.raw('SELECT pg_sleep(1.5)');
  },
  async down() {},
});

const source = (count) => ({
  getMigrations: async () => Array.from({ length: count }, (_, i) => migration(i + 1)),
  getMigrationName: (m) => m.name,
  getMigration: async (m) => m,
});

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

// start migrates, again and again while another does, as an init container that is started again.
async function start(count) {
  const db = knex({ client: 'pg', connection: process.env.DATABASE_URL, pool: { min: 1, max: 1 } });
  for (let locked = true; locked; ) {
    try {
      const [, names] = await db.migrate.latest({ migrationSource: source(count), disableTransactions: true });
      console.log(`deployment ${count}: ran [${names}]`);
      locked = false;
    } catch (err) {
      console.log(`deployment ${count}: ${err.message}`);
      locked = err.message.includes('locked');
      await pause(50);
    }
  }
  await db.destroy();
}

// first makes the database of the service, with the tables of knex: a race of its own (knex 3538) is left out.
async function first(db) {
  await db.raw('CREATE TABLE effects (migration text)');
  await db.raw('CREATE TABLE deployments AS SELECT now() AS began');
  await db.destroy();
  await start(0);
}

async function main() {
  const db = knex({ client: 'pg', connection: process.env.DATABASE_URL });
  if (process.argv[2] === 'first') return first(db);
  const began = (await db('deployments').first()).began.getTime();
  await db.destroy();
  for (;;) {
    const count = Math.floor((Date.now() - began) / deploy) + 1;
    await start(count);
    await pause(began + count * deploy - Date.now() + Math.random() * 500);
  }
}

main();
