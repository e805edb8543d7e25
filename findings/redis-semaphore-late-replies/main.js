// redis-semaphore 5.8.0: RedlockMutex.acquire returns a lock that is over.
//
// Redlock counts the time from before its requests to after the replies, and refuses a lock whose
// lockTimeout is over by then. RedlockMutex (and RedlockSemaphore) does not look at the time: it counts the votes
// alone. A client that is stopped, or whose event loop is busy, between the two for longer than
// lockTimeout is told that it holds a lock that has expired on every server, and that another may hold.
// refreshInterval would tell it after 0.8 lockTimeout more. Redlock's specification asks for the check
// (step 3); node-redlock 5 lacks it, too (mike-marcacci/node-redlock#296).
//
// Needs redis-server on PATH (three are started). Exit 1: the failure showed.
'use strict'
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const net = require('node:net')
const Redis = require('ioredis')
const { RedlockMutex } = require('redis-semaphore')

const servers = []
const lockTimeout = 1000

// server starts a Redis on a free port.
async function server() {
  const probe = net.createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const port = probe.address().port
  probe.close()
  servers.push(spawn('redis-server', ['--port', port, '--save', '', '--dir', '/tmp']))
  return port
}

async function connect(port) {
  const client = new Redis(port, '127.0.0.1', { retryStrategy: () => 50 })
  client.on('error', () => {}) // until it is up
  await client.ping()
  return client
}

async function main() {
  const ports = [await server(), await server(), await server()]
  const clients = await Promise.all(ports.map(connect))
  const others = await Promise.all(ports.map(connect))
  let lost = false

  // 1. The first client sends its requests: they leave the process before the next turn of the loop,
  // which would read replies.
  const first = new RedlockMutex(clients, 'resource', { lockTimeout, onLockLost: () => { lost = true } })
  const acquire = first.tryAcquire()
  for (let i = 0; i < 100; i++) await null

  // 2. Its event loop is busy for longer than lockTimeout: the replies wait in its sockets.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1.5 * lockTimeout)

  // 3. It reads them.
  const got = await acquire
  const left = await Promise.all(others.map(c => c.pttl('mutex:resource')))
  console.log('3. the first client acquires:', got, '- its key lasts for', left.join(', '), 'ms on the three servers (-2: it is gone)')

  // 4. Another asks for the lock.
  const second = new RedlockMutex(others, 'resource', { lockTimeout, acquireTimeout: 100 })
  const other = await second.tryAcquire()
  console.log('4. another acquires:', other, '- the first', lost ? 'was told that it lost it' : `says isAcquired: ${first.isAcquired}`)
  return got && other && !lost && first.isAcquired ? 1 : 0
}

main().then(
  code => finish(code),
  err => { console.error('the program itself failed:', err); finish(2) })

function finish(code) {
  for (const s of servers) s.kill('SIGKILL')
  process.exit(code)
}
