// bullmq 6.7.0: a job whose processor blocks the event loop for longer than lockDuration runs twice at a time.
//
// The lock of a job is renewed by a timer of the worker. While the event loop is busy no timer
// fires: the lock expires, another worker's look for stalled jobs puts the job back, and that
// worker runs it beside the first, which has not ended and goes on. The first is told at its end, when its
// result is refused ("Missing lock"), after all that it did. The manual says so under "Stalled
// Jobs"; issue #3183 asks about it. What protects: short steps, or sandboxed processors.
//
// Needs redis-server on PATH. Exit 1: the failure showed.
'use strict'
const { spawn, fork } = require('node:child_process')
const { once } = require('node:events')
const net = require('node:net')
const { Queue, Worker } = require('bullmq')

const lockDuration = 1000
const work = 5000 // ms, in one piece
let redis

// server starts a Redis on a free port.
async function server() {
  const probe = net.createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const port = probe.address().port
  probe.close()
  redis = spawn('redis-server', ['--port', port, '--save', '', '--dir', '/tmp'])
  for (;;) {
    const link = net.connect(port, '127.0.0.1')
    if (await Promise.race([once(link, 'connect').then(() => true), once(link, 'error').then(() => false)]).catch(() => false)) return port
    await new Promise(done => setTimeout(done, 50))
  }
}

// worker is a process that runs jobs, and tells when one begins and ends.
function worker(port) {
  const made = new Worker('jobs', async job => {
    process.send({ begins: Date.now(), pid: process.pid, job: job.id })
    await new Promise(done => setImmediate(done))
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, work) // a long calculation
    process.send({ ends: Date.now(), pid: process.pid, job: job.id })
  }, { connection: { host: '127.0.0.1', port }, lockDuration, stalledInterval: lockDuration / 2 })
  made.on('error', err => process.send({ error: err.message, pid: process.pid }))
}

async function main() {
  const port = await server()
  const queue = new Queue('jobs', { connection: { host: '127.0.0.1', port } })
  const runs = new Map() // by process: when it began and ended

  // 1. Two workers, one job.
  const workers = [fork(__filename, [port]), fork(__filename, [port])]
  for (const w of workers) {
    w.on('message', m => {
      if (m.error) return console.log('   a worker is told:', m.error)
      if (!runs.has(m.pid)) runs.set(m.pid, {})
      Object.assign(runs.get(m.pid), m)
    })
  }
  await queue.add('charge the customer', {})

  // 2. The first to take it is busy with it for longer than lockDuration. Does the other run it, too?
  const both = () => runs.size === 2 && [...runs.values()].every(r => r.ends)
  for (let i = 0; i < 250 && !both(); i++) await new Promise(done => setTimeout(done, 100))
  const [first, second] = [...runs.values()].sort((a, b) => a.begins - b.begins)
  console.log(`2. the job was run by ${runs.size} workers`)
  if (second) console.log(`   the second began ${second.begins - first.begins} ms after the first, which ended after ${first.ends - first.begins} ms`)
  for (const w of workers) w.kill('SIGKILL')
  return second && second.begins < first.ends ? 1 : 0
}

function finish(code) {
  if (redis) redis.kill('SIGKILL')
  process.exit(code)
}

if (process.argv[2]) worker(Number(process.argv[2]))
else main().then(finish, err => { console.error('the program itself failed:', err); finish(2) })
