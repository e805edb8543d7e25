// proper-lockfile 4.1.2: a process whose clock is ahead by stale takes a lock that is held and renewed.
//
// A lock is stale when its mtime is older than Date.now() - stale. The mtime is by the clock of the
// holder, Date.now() by that of who asks. Where they differ by more than stale - update (5 s with the
// defaults), as on two hosts with one network file system, every lock is stale to who is ahead:
// it removes it and is granted it, however alive the holder is. The holder learns of it at its next renewal,
// up to update later. The manual speaks of mtime, and of no clock.
//
// The second process stands for the other host: its Date.now is ahead. Exit 1: the failure showed.
'use strict'
const { fork } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const lockfile = require('proper-lockfile')

const ahead = 10000 // ms: the default of stale
const now = Date.now

async function other(file) {
  Date.now = () => now() + ahead
  await lockfile.lock(file, { realpath: false }).then(
    () => process.send('holds'), err => process.send('is refused: ' + err.message))
}

async function main() {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'findings-'))
  process.on('exit', () => fs.rmSync(dir, { recursive: true, force: true }))
  const file = path.join(dir, 'resource')
  let lost = null

  // 1. The first holds the lock, with the defaults: stale 10 s, renewed every 5 s. It is neither stopped nor slow.
  const begun = now()
  await lockfile.lock(file, { realpath: false, onCompromised: () => { lost = now() } })
  await new Promise(done => setTimeout(done, 1500)) // the first lock of a process is dated up to 1 s ahead

  // 2. The second, whose clock is ahead by 10 s, asks for it.
  const second = fork(__filename, [file])
  const [got] = await once(second, 'message')
  const granted = now()
  console.log('2. the second', got, `${granted - begun} ms after the first was granted the lock;`, 'the first', lost ? 'was told before' : 'was told nothing')

  // 3. When is the first told?
  while (!lost && now() - granted < 6000) await new Promise(done => setTimeout(done, 20))
  if (lost) console.log(`3. the first is told ${lost - granted} ms later`)
  second.kill('SIGKILL')
  return got === 'holds' && (!lost || lost > granted) ? 1 : 0
}

if (process.argv[2]) other(process.argv[2])
else main().then(code => process.exit(code), err => { console.error('the program itself failed:', err); process.exit(2) })
