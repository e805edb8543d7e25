// proper-lockfile 4.1.2: release removes the lock of whoever has it by now, and says that all is well.
//
// A holder that was stopped for longer than stale (here its event loop is busy) has lost the lock, and
// another took it. The renewal would notice that by the mtime, and the manual says that release
// rejects when the lock was compromised. But release stops that timer, looks at nothing, and removes
// the directory. If it is called first, as by the code that comes after the long work, it resolves,
// and a third process is granted the lock beside the second, which is alive and within its time, and
// learns of it only at its own next renewal.
//
// Linux or macOS. Exit 1: the failure showed.
'use strict'
const { fork } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const lockfile = require('proper-lockfile')

const stale = 2000
const options = { stale, update: 1000, realpath: false }

// another is a process that waits for the lock, holds it, and tells when it has lost it.
async function another(file) {
  await lockfile.lock(file, { ...options, retries: { forever: true, minTimeout: 50, maxTimeout: 50 },
    onCompromised: err => process.send('lost: ' + err.message) })
  process.send('holds')
}

async function main() {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'findings-'))
  process.on('exit', () => fs.rmSync(dir, { recursive: true, force: true }))
  const file = path.join(dir, 'resource')
  const said = []

  // 1. The first process holds the lock; two others wait for it.
  const release = await lockfile.lock(file, { ...options, onCompromised: err => console.log('   the first is told:', err.message) })
  const others = [fork(__filename, [file]), fork(__filename, [file])]
  others.forEach((other, i) => other.on('message', m => said.push(`${'BC'[i]} ${m}`)))

  // 2. Its event loop stands still for longer than stale. One of the others takes the lock.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3 * stale)

  // 3. The first releases what it has lost.
  const answer = await release().then(() => 'resolved', err => 'rejected: ' + err.message)
  console.log('3. release of a lock that was lost:', answer)

  // 4. Who holds it now?
  for (let i = 0; i < 90 && said.length < 2; i++) await new Promise(done => setTimeout(done, 10))
  console.log('4. the others:', said.join(', '))
  for (const other of others) other.kill('SIGKILL')
  return answer === 'resolved' && said.length > 1 && said.slice(0, 2).every(m => m.endsWith('holds')) ? 1 : 0
}

if (process.argv[2]) another(process.argv[2])
else main().then(code => process.exit(code), err => { console.error('the program itself failed:', err); process.exit(2) })
