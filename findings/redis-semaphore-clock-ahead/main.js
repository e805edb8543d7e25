// redis-semaphore 5.8.0: a client whose clock is ahead by lockTimeout evicts all holders of a semaphore and takes a permit.
//
// Each permit is a member of a sorted set whose score is Date.now() of its holder. Whoever acquires
// removes what is older than its own Date.now() - lockTimeout. If its clock is ahead by more than
// lockTimeout - refreshInterval (2 s with the defaults), it removes holders that are alive and renew,
// and counts none of them: the limit holds no longer. They learn of it at their next renewal, up to 0.8
// lockTimeout later. The manual asks for a lockTimeout that is "greater than possible node clock
// differences"; Redis has a clock of its own (TIME), which the script could ask.
//
// Needs redis-server on PATH. Exit 1: the failure showed.
'use strict'
const { spawn, fork } = require('node:child_process')
const { once } = require('node:events')
const net = require('node:net')
const Redis = require('ioredis')
const { Semaphore } = require('redis-semaphore')

const limit = 3
const ahead = 10000 // ms: the default of lockTimeout
const now = Date.now
let redis

// server starts a Redis on a free port.
async function server() {
  const probe = net.createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const port = probe.address().port
  probe.close()
  redis = spawn('redis-server', ['--port', port, '--save', '', '--dir', '/tmp'])
  return port
}

function connect(port) {
  const client = new Redis(port, '127.0.0.1', { retryStrategy: () => 50 })
  client.on('error', () => {}) // until it is up
  return client
}

// other is a client whose clock is ahead, in a process of its own.
async function other(port) {
  Date.now = () => now() + ahead
  const client = connect(port)
  const got = await new Semaphore(client, 'pool', limit, { acquireTimeout: 1000 }).tryAcquire()
  process.send(got ? 'is granted a permit' : 'is refused')
}

async function main() {
  const port = await server()
  const client = connect(port)
  const lost = new Map()

  // 1. Three clients hold the three permits, with the defaults: lockTimeout 10 s, renewed every 8 s.
  const holders = []
  for (let i = 0; i < limit; i++) {
    const holder = new Semaphore(client, 'pool', limit, { onLockLost: () => lost.set(holder, now()) })
    if (!await holder.tryAcquire()) throw new Error('a permit that is free was refused')
    holders.push(holder)
  }

  // 2. A fourth, whose clock is right, is refused.
  if (await new Semaphore(client, 'pool', limit, { acquireTimeout: 100 }).tryAcquire()) throw new Error('a fourth permit was granted')

  // 3. A fifth, whose clock is ahead by 10 s, asks.
  const fifth = fork(__filename, [port])
  const [got] = await once(fifth, 'message')
  const granted = now()
  console.log('3. a client whose clock is ahead', got + ';', lost.size, 'of', limit, 'holders were told that they lost theirs')
  console.log('   members in the set:', await client.zcard('semaphore:pool'))
  const told = lost.size

  // 4. When are the holders told?
  while (lost.size < limit && now() - granted < 9000) await new Promise(done => setTimeout(done, 20))
  console.log(`4. ${lost.size} of ${limit} are told, the last ${Math.max(0, ...lost.values()) - granted} ms later`)
  fifth.kill('SIGKILL')
  return got === 'is granted a permit' && told < limit ? 1 : 0
}

function finish(code) {
  if (redis) redis.kill('SIGKILL')
  process.exit(code)
}

if (process.argv[2]) other(process.argv[2])
else main().then(finish, err => { console.error('the program itself failed:', err); finish(2) })
