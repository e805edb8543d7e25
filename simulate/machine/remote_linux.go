package machine

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"slices"

	"golang.org/x/sys/unix"

	"locktorture/simulate/rawio"
)

// A remote is a kernel process whose runtime sends its system calls to the host (package native).
// It waits for an answer to each message, so nothing runs outside of a step.
type remote struct {
	fd   int // socket to the process
	pid  int
	says *os.File // its standard error

	begun   bool
	owed    int32   // result of the call in which the process was halted
	offered []*File // files whose input was sent with the latest answer
	in, out []byte
}

// Operations that a process requests from its host. Their numbers must match package native.
const (
	hostIdle = 1 + iota
	hostWrite
	hostDial
	hostClose
	hostAsk
	hostRandom
	hostExit
	hostRefuse
	hostSocket
	hostConnect
	hostListenOp
	hostShut
	hostSynced
)

const (
	hostHeader  = 24       // length of the header of an operation, in bytes
	hostMost    = 32 << 10 // longest body of an operation, in bytes
	hostRoom    = 4 * hostMost
	arrivalPad  = 12
	endedThere  = 1 // flags of an arrival
	brokenThere = 2
	laterWrites = 1 // flags of operations that a process may report later
	laterAsks   = 2
	hasSockets  = 4 // further flags in the same word as later
	slowDisk    = 8
	badDisk     = 16
	keepsSync   = 32
)

// step runs the process until it waits or ends.
func (r *remote) step(p *Process) {
	switch {
	case !r.begun:
		r.begun = true
		r.answer(p, 0, 0)
	case p.midway:
		p.midway = false
		r.answer(p, r.owed, 0)
	default:
		r.arrivals(p)
	}
	p.wake = Never
	for {
		if err := r.send(); err != nil {
			r.ended(p, err)
			return
		}
		m, err := r.hear()
		if err != nil {
			r.ended(p, err)
			return
		}
		if r.carryOut(p, m) {
			return
		}
	}
}

// answer starts an answer with the result of a call.
func (r *remote) answer(p *Process, result int32, arrivals int) {
	mono, wall := p.World.Now(p)
	later := uint32(0)
	if p.Lazy {
		later |= laterWrites
	}
	if p.Quiet {
		later |= laterAsks
	}
	r.out = binary.LittleEndian.AppendUint32(r.out[:0], uint32(result))
	r.out = binary.LittleEndian.AppendUint32(r.out, uint32(arrivals))
	r.out = binary.LittleEndian.AppendUint64(r.out, uint64(mono))
	r.out = binary.LittleEndian.AppendUint64(r.out, uint64(wall))
	if p.IP != [4]byte{} {
		later |= hasSockets
	}
	if p.SlowDisk {
		later |= slowDisk
	}
	if p.BadDisk {
		later |= badDisk
	}
	if p.KeepsSync {
		later |= keepsSync
	}
	r.out = binary.LittleEndian.AppendUint32(r.out, later)
	r.out = append(r.out, p.IP[:]...)
}

// arrivals answers with all available input.
func (r *remote) arrivals(p *Process) {
	r.offered = r.offered[:0]
	for _, f := range p.files {
		if f.fresh || len(f.in) > 0 {
			r.offered = append(r.offered, f)
		}
	}
	slices.SortFunc(r.offered, func(a, b *File) int { return int(a.FD - b.FD) })
	r.answer(p, 0, len(r.offered))
	for _, f := range r.offered {
		n := min(len(f.in), max(0, hostMost-len(r.out)))
		flags := uint32(0)
		if f.eof && n == len(f.in) {
			flags = endedThere
		}
		if f.reset {
			flags = brokenThere
		}
		r.out = binary.LittleEndian.AppendUint32(r.out, uint32(f.FD))
		r.out = binary.LittleEndian.AppendUint32(r.out, flags)
		r.out = binary.LittleEndian.AppendUint32(r.out, uint32(n))
		r.out = append(r.out, make([]byte, arrivalPad)...)
		r.out = append(r.out, f.in[:n]...)
		r.out = append(r.out, make([]byte, -n&7)...)
		f.fresh = n < len(f.in)
	}
}

func (r *remote) send() error { return rawio.Write(r.fd, r.out) }

// mostWaits is the number of waits for a message, each as long as patience. A process that computes for
// longer waits in a loop for something that only virtual time can bring.
const mostWaits = 6

func (r *remote) hear() ([]byte, error) {
	for waits := 1; ; waits++ {
		n, err := rawio.Read(r.fd, r.in)
		switch {
		case err == unix.EAGAIN && waits == mostWaits:
			return nil, ErrBusy
		case err == unix.EAGAIN:
			continue // it is still computing
		case err != nil:
			return nil, err
		case n < hostHeader:
			return nil, io.ErrUnexpectedEOF
		}
		return r.in[:n], nil
	}
}

// carryOut executes the operations of a message. It returns true if the process waits now;
// otherwise r.out holds the answer.
func (r *remote) carryOut(p *Process, m []byte) (waits bool) {
	for len(m) >= hostHeader {
		op, arg := binary.LittleEndian.Uint32(m), int32(binary.LittleEndian.Uint32(m[4:]))
		num, n := int64(binary.LittleEndian.Uint64(m[8:])), int(binary.LittleEndian.Uint32(m[16:]))
		if m = m[hostHeader:]; n > len(m) {
			r.ended(p, io.ErrUnexpectedEOF)
			return true
		}
		waits = r.do(p, op, arg, num, m[:n])
		m = m[min(len(m), (n+7)&^7):]
	}
	return waits
}

func (r *remote) do(p *Process, op uint32, arg int32, num int64, body []byte) (waits bool) {
	result := int32(0)
	switch op {
	case hostIdle:
		for i, f := range r.offered {
			if used := binary.LittleEndian.Uint32(body[4*i:]); !f.reset {
				f.in = f.in[used:]
			}
		}
		r.offered, p.wake = r.offered[:0], num
		return true
	case hostWrite:
		if f := p.files[arg]; f != nil {
			p.World.Wrote(p, f, body)
		}
	case hostDial:
		result = -1
		if f := p.World.Dial(p, string(body)); f != nil {
			result = p.open(f)
		}
	case hostClose:
		if f := p.files[arg]; f != nil {
			delete(p.files, f.FD)
			p.World.Closed(p, f)
		}
	case hostSocket, hostConnect, hostListenOp, hostShut:
		result = p.socket(op, arg, body)
	case hostSynced:
		if on, ok := p.World.(Disk); ok {
			on.Synced(p, fmt.Sprintf("/proc/%d/fd/%d", r.pid, arg))
		}
	case hostRefuse:
		p.World.Refused(p, string(body))
	case hostAsk:
		result = p.World.Ask(p, string(body))
	case hostRandom:
		r.answer(p, 0, 0)
		at := len(r.out)
		r.out = append(r.out, make([]byte, arg)...)
		p.World.Random(p, r.out[at:])
		return false
	case hostExit:
		p.code = uint32(arg)
		r.ended(p, nil)
		return true
	}
	p.Stats.Calls++
	if p.halted {
		p.midway, r.owed = true, result
		return true
	}
	r.answer(p, result, 0)
	return false
}

// ended reports the standard error of a process that has ended.
func (r *remote) ended(p *Process, err error) {
	p.done = true
	if err != nil {
		p.err = fmt.Errorf("the process broke off: %w", err)
	}
	if b := r.said(); len(b) > 0 {
		p.World.Wrote(p, p.files[2], b)
	}
}

// said returns what the process has written to its standard error.
func (r *remote) said() []byte {
	b, _ := io.ReadAll(io.NewSectionReader(r.says, 0, 1<<20))
	return b
}

// close kills the process.
func (r *remote) close() error {
	_ = unix.Close(r.fd)
	_ = r.says.Close()
	_ = unix.Kill(r.pid, unix.SIGKILL) // a child that was not waited for, so the pid is still its own
	for {
		if _, err := unix.Wait4(r.pid, nil, 0, nil); err != unix.EINTR {
			return err
		}
	}
}
