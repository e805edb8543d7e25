// redis-semaphore 5.8.0: RedlockMultiSemaphore leaks permits when it gets no quorum.
//
// acquire adds the members identifier_0, identifier_1, … to a sorted set on every server. If
// fewer than a quorum agreed it cleans up with ZREM key identifier, a member that was never
// added (that is the name that RedlockSemaphore uses). The permits stay on the servers that
// had agreed until lockTimeout is over, though acquire has reported that it got nothing.
// Others are refused permits that nobody holds; with retries the same client takes its own
// permits away.
//
// Needs redis-server on PATH (three are started). Exit 1: the failure showed.
'use strict'
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const net = require('node:net')
const Redis = require('ioredis')
const { RedlockMultiSemaphore } = require('redis-semaphore')

const servers = []
const key = 'semaphore:pool' // where the library keeps the permits of 'pool'

// server starts a Redis on a free port.
async function server() {
  const probe = net.createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const port = probe.address().port
  probe.close()
  servers.push(spawn('redis-server', ['--port', port, '--save', '', '--dir', '/tmp']))
  const client = new Redis(port, '127.0.0.1', { retryStrategy: () => 50 })
  client.on('error', () => {}) // until it is up
  await client.ping()
  return client
}

async function main() {
  const [a, b, c] = [await server(), await server(), await server()]
  const options = { lockTimeout: 30000, acquireTimeout: 200, acquireAttemptsLimit: 1, refreshInterval: 0 }

  // 1. Two of three servers are full: somebody holds all 4 permits there.
  await b.zadd(key, Date.now(), 'x_0', Date.now(), 'x_1', Date.now(), 'x_2', Date.now(), 'x_3')
  await c.zadd(key, Date.now(), 'x_0', Date.now(), 'x_1', Date.now(), 'x_2', Date.now(), 'x_3')

  // 2. A client asks for 3 of 4 permits. One server agrees, which is no quorum: it gets nothing.
  const first = new RedlockMultiSemaphore([a, b, c], 'pool', 4, 3, options)
  console.log('2. first client acquires 3 permits:', await first.tryAcquire())

  // 3. What it took on the first server must be gone.
  console.log('3. members on the first server:', await a.zrange(key, 0, -1))

  // 4. The permits on one of the others come back: with the first server that is a quorum.
  await b.del(key)
  const second = new RedlockMultiSemaphore([a, b, c], 'pool', 4, 3, options)
  const got = await second.tryAcquire()
  console.log('4. nobody holds a permit on two of three servers; a second client acquires 3:', got)

  const leaked = await a.zcard(key)
  console.log(`${leaked} permits on the first server are held by nobody, for lockTimeout`)
  return !got && leaked > 0 ? 1 : 0
}

main().then(
  code => finish(code),
  err => { console.error('the program itself failed:', err); finish(2) })

function finish(code) {
  for (const s of servers) s.kill('SIGKILL')
  process.exit(code)
}
