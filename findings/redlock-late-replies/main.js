// redlock 5.0.0-beta.2: acquire returns a lock that is over.
//
// Redlock counts the time from before its requests to after the replies, and refuses a lock whose
// validity is over by then (step 3 of its description). Version 5 works out the expiration and does
// not compare it with the clock: it counts the votes alone. A client that is stopped, or whose event
// loop is busy, between the two for longer than the duration is told that it holds a lock that has
// expired on every server, and that another may hold (mike-marcacci/node-redlock#296).
//
// Needs redis-server on PATH (three are started). Exit 1: the failure showed.
'use strict'
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const net = require('node:net')
const Redis = require('ioredis')
const redlock = require('redlock')

const Redlock = redlock.default ?? redlock // version 5, and those before
const servers = []
const duration = 1000

// server starts a Redis on a free port.
async function server() {
  const probe = net.createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const port = probe.address().port
  probe.close()
  servers.push(spawn('redis-server', ['--port', port, '--save', '', '--dir', '/tmp']))
  return port
}

// client is one of the library, with connections of its own.
async function client(ports) {
  const connections = await Promise.all(ports.map(async port => {
    const c = new Redis(port, '127.0.0.1', { retryStrategy: () => 50 })
    c.on('error', () => {}) // until it is up
    await c.ping()
    return c
  }))
  const r = new Redlock(connections, { retryCount: 0 })
  r.on('error', () => {})
  r.on('clientError', () => {})
  return { connections, acquire: key => r.lock ? r.lock(key, duration) : r.acquire([key], duration) }
}

async function main() {
  const ports = [await server(), await server(), await server()]
  const first = await client(ports), second = await client(ports)
  await first.acquire('another') // so that the servers know the script, and one request is enough

  // 1. The first client sends its requests: they leave the process before the next turn of the loop,
  // which would read replies.
  const acquire = Promise.resolve(first.acquire('resource')).then(lock => ({ lock }), error => ({ error }))
  for (let i = 0; i < 100; i++) await null

  // 2. Its event loop is busy for longer than the duration: the replies wait in its sockets.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1.5 * duration)

  // 3. It reads them.
  const got = await acquire
  const left = await Promise.all(second.connections.map(c => c.pttl('resource')))
  console.log('3. the first client:', got.lock ? `holds a lock that ended ${Date.now() - got.lock.expiration} ms ago` : `was refused: ${got.error.message}`,
    '- its key lasts for', left.join(', '), 'ms on the three servers (-2: it is gone)')

  // 4. Another asks for the lock.
  const other = await second.acquire('resource')
  console.log('4. another acquires it, for', other.expiration - Date.now(), 'ms')
  return got.lock && other && left.every(ms => ms === -2) ? 1 : 0
}

main().then(
  code => finish(code),
  err => { console.error('the program itself failed:', err); finish(2) })

function finish(code) {
  for (const s of servers) s.kill('SIGKILL')
  process.exit(code)
}
