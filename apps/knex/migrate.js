// One replica of a service that migrates its database at each start, as knex' manual shows. A
// deployment every four seconds brings one more migration; replicas start within a second of each other.
'use strict';
const knex = require('knex');
const deploy = 4000;

const migration = (number) => ({
  name: `m${String(number).padStart(6, '0')}`,
  config: { transaction: false },
  async up(db) {
    console.log(`begin ${this.name}`);
    await db.raw('INSERT INTO effects (migration) VALUES (?)', [this.name]);
    await db.raw('SELECT pg_sleep(0.3)');
    console.log(`done ${this.name}`);
  },
  async down() {},
});

const source = (count) => ({
  getMigrations: async () => Array.from({ length: count }, (_, i) => migration(i + 1)),
  getMigrationName: (m) => m.name,
  getMigration: async (m) => m,
});

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

async function start(count) {
  const db = knex({ client: 'pg', connection: process.env.DATABASE_URL, pool: { min: 0, max: 1 } });
  try {
    const [, names] = await db.migrate.latest({ migrationSource: source(count), disableTransactions: true });
    console.log(`deployment ${count}: exit 0, ran [${names}]`);
  } catch (err) {
    console.log(`deployment ${count}: exit 1, ${err.message}`);
  } finally {
    await db.destroy();
  }
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
    await pause(began + count * deploy - Date.now() + Math.random() * 1000);
  }
}

main();
