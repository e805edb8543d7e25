package machine

import "encoding/binary"

// File types and flags of WASI.
const (
	character = 2
	stream    = 6
	nonblock  = 4
)

func nothing(*Process, Memory, []uint64) uint32 { return success }

func noFile(*Process, Memory, []uint64) uint32 { return ebadf }

// clockTime returns the time. The monotonic clock never returns the same time twice, because a
// program that spins until the time changes would spin for ever.
func clockTime(p *Process, m Memory, a []uint64) uint32 {
	mono, wall := p.World.Now(p)
	ahead := max(0, p.last+1-mono)
	p.last = mono + ahead
	told := p.last
	if uint32(a[0]) == 0 {
		told = wall + ahead
	}
	m.WriteUint64Le(uint32(a[2]), uint64(told))
	return success
}

func random(p *Process, m Memory, a []uint64) uint32 {
	b, ok := m.Read(uint32(a[0]), uint32(a[1]))
	if !ok {
		return einval
	}
	p.World.Random(p, b)
	return success
}

// vectors returns the buffers of a read or a write.
func vectors(m Memory, at, n uint32) (all [][]byte) {
	list, _ := m.Read(at, 8*n)
	for ; len(list) >= 8; list = list[8:] {
		b, ok := m.Read(binary.LittleEndian.Uint32(list), binary.LittleEndian.Uint32(list[4:]))
		if ok {
			all = append(all, b)
		}
	}
	return all
}

func write(p *Process, m Memory, a []uint64) uint32 {
	f := p.files[int32(a[0])]
	switch {
	case f == nil:
		return ebadf
	case f.reset:
		return epipe
	}
	all := vectors(m, uint32(a[1]), uint32(a[2]))
	var b []byte
	if len(all) == 1 {
		b = all[0]
	} else {
		for _, v := range all {
			b = append(b, v...)
		}
	}
	p.World.Wrote(p, f, b)
	p.stand()
	m.WriteUint32Le(uint32(a[3]), uint32(len(b)))
	return success
}

func read(p *Process, m Memory, a []uint64) uint32 {
	f := p.files[int32(a[0])]
	switch {
	case f == nil:
		return ebadf
	case f.reset:
		return econnrest
	case !f.ready():
		return eagain
	}
	n := 0
	for _, b := range vectors(m, uint32(a[1]), uint32(a[2])) {
		n += f.take(b)
	}
	m.WriteUint32Le(uint32(a[3]), uint32(n))
	return success
}

func closeFile(p *Process, _ Memory, a []uint64) uint32 {
	f := p.files[int32(a[0])]
	if f == nil {
		return ebadf
	}
	delete(p.files, f.FD)
	p.World.Closed(p, f)
	return success
}

func stat(p *Process, m Memory, a []uint64) uint32 {
	f := p.files[int32(a[0])]
	if f == nil {
		return ebadf
	}
	var b [24]byte
	b[0] = character
	if f.conn {
		b[0] = stream
	}
	if f.FD != 1 && f.FD != 2 {
		b[2] = nonblock
	}
	binary.LittleEndian.PutUint64(b[8:], ^uint64(0)) // all rights
	binary.LittleEndian.PutUint64(b[16:], ^uint64(0))
	m.Write(uint32(a[1]), b[:])
	return success
}

// dial is the import torture.dial. It takes an address and returns a descriptor, or -1.
func dial(p *Process, m Memory, a []uint64) uint32 {
	addr, ok := m.Read(uint32(a[0]), uint32(a[1]))
	if !ok {
		return ^uint32(0)
	}
	f := p.World.Dial(p, string(addr))
	if f == nil {
		return ^uint32(0)
	}
	f.conn = true
	return uint32(p.open(f))
}

// ask is the import torture.ask. It takes a question and returns a number.
func ask(p *Process, m Memory, a []uint64) uint32 {
	question, ok := m.Read(uint32(a[0]), uint32(a[1]))
	if !ok {
		return 0
	}
	n := p.World.Ask(p, string(question))
	p.stand()
	return uint32(n)
}

// sizes returns the number of texts and their total length in bytes; list returns the texts.
func sizes(m Memory, texts []string, a []uint64) uint32 {
	n := 0
	for _, s := range texts {
		n += len(s) + 1
	}
	m.WriteUint32Le(uint32(a[0]), uint32(len(texts)))
	m.WriteUint32Le(uint32(a[1]), uint32(n))
	return success
}

func list(m Memory, texts []string, a []uint64) uint32 {
	at := uint32(a[1])
	for i, s := range texts {
		m.WriteUint32Le(uint32(a[0])+4*uint32(i), at)
		m.Write(at, append([]byte(s), 0))
		at += uint32(len(s)) + 1
	}
	return success
}
