// proper-lockfile 4.1.2: whoever reclaims a stale lock may remove the lock of who was faster.
//
// acquire looks at the mtime, finds the lock stale, removes the directory and makes its own. Between
// the look and the removal another process can do all of that. The first then removes a
// directory that is fresh, makes its own, and both hold the lock. Issue #121 asks about it.
//
// The first process is stopped (SIGSTOP) at its rmdir, through the library's option fs. Linux.
// Exit 1: the failure showed.
'use strict'
const { fork } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const lockfile = require('proper-lockfile')

const stale = 5000

// contender asks for the lock, holds it, and tells when it has lost it. One that is slow stops before its rmdir.
async function contender(file, slow) {
  const rmdir = (dir, done) => {
    process.send('finds it stale')
    setImmediate(() => {
      process.kill(process.pid, 'SIGSTOP')
      fs.rmdir(dir, done)
    })
  }
  await lockfile.lock(file, { stale, realpath: false, fs: slow ? { ...fs, rmdir } : fs,
    onCompromised: err => process.send('lost: ' + err.message) })
  process.send('holds')
}

async function main() {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'findings-'))
  process.on('exit', () => fs.rmSync(dir, { recursive: true, force: true }))
  const file = path.join(dir, 'resource')
  let lost = false

  // 1. The lock of a process that died a minute ago.
  fs.mkdirSync(file + '.lock')
  fs.utimesSync(file + '.lock', Date.now() / 1000 - 60, Date.now() / 1000 - 60)

  // 2. The first contender finds it stale, and is stopped before it removes it.
  const first = fork(__filename, [file, 'slow'])
  console.log('2. the first', (await once(first, 'message'))[0])
  while (!fs.readFileSync(`/proc/${first.pid}/stat`, 'utf8').includes(') T ')) await new Promise(done => setTimeout(done, 10))

  // 3. The second finds it stale as well, removes it and holds the lock.
  const second = fork(__filename, [file])
  console.log('3. the second', (await once(second, 'message'))[0])
  second.on('message', m => { lost ||= m.startsWith('lost') })

  // 4. The first goes on.
  first.kill('SIGCONT')
  const [got] = await Promise.race([once(first, 'message'), new Promise(done => setTimeout(done, 2000, ['got nothing']))])
  console.log('4. the first', got, '; the second', lost ? 'was told that it lost it' : 'was told nothing')
  first.kill('SIGKILL')
  second.kill('SIGKILL')
  return got === 'holds' && !lost ? 1 : 0
}

if (process.argv[2]) contender(process.argv[2], process.argv[3] === 'slow')
else main().then(code => process.exit(code), err => { console.error('the program itself failed:', err); process.exit(2) })
