package tape

import (
	"sync"
	"sync/atomic"

	"locktorture/cluster"
)

// A strip records one link. An event waits with its time stamp in a queue, so that it hardly delays
// its message; it is blanked and written later.
type strip struct {
	tape     *Tape
	link     int
	protocol string
	now      *atomic.Int64 // current process number of the client

	mu      sync.Mutex // guards the following; locked after write
	closed  bool
	waiting []entry
	bytes   int // size of their data

	write   sync.Mutex // guards the following; locked before the mutex of the tape
	spare   []entry    // storage for the next waiting entries
	buf     []byte     // data of the block that is being filled
	filling bool       // there is such a block
	flushed int        // written bytes of it
	slot    int        // its position in the file; -1: none yet
	head    blockHeader
	last    int64 // time of the last record
	process int64 // as last recorded
}

// An entry is an event that waits to be written.
type entry struct {
	conn    *conn
	at      int64
	process int64
	data    []byte // as received
	chunk   int
	kind    Kind
	reply   bool
}

var _ cluster.Tap = (*strip)(nil)

// Connect implements cluster.Tap.
func (s *strip) Connect(cluster.Way) (requests, replies cluster.Watcher) {
	c := &conn{strip: s, number: int(s.tape.conns.Add(1))}
	if s.tape.cfg.Blank != nil {
		c.blank = s.tape.cfg.Blank(s.protocol)
	}
	s.put(entry{conn: c, kind: Connect})
	return &side{conn: c}, &side{conn: c, reply: true}
}

// Waiting entries are written every flushEvery, or as soon as there are this many entries or bytes
// of data. At four times these bounds, the caller that adds an entry writes first.
const (
	mostWaiting = 512
	mostBytes   = 128 << 10
)

// put stamps an event and queues it.
func (s *strip) put(e entry) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return
	}
	e.at, e.process = s.tape.cfg.Now(), s.now.Load()
	s.waiting, s.bytes = append(s.waiting, e), s.bytes+len(e.data)
	load := max(len(s.waiting)/mostWaiting, s.bytes/mostBytes)
	s.mu.Unlock()
	switch {
	case load >= 4:
		s.flush()
	case load >= 1:
		s.tape.hurry(s)
	}
}

// drain records the waiting entries. The caller holds s.write.
func (s *strip) drain() {
	s.mu.Lock()
	list := s.waiting
	s.waiting, s.bytes = s.spare[:0], 0
	s.mu.Unlock()
	for _, e := range list {
		s.take(e)
	}
	clear(list) // release the data
	s.spare = list[:0]
}

// take records one event.
func (s *strip) take(e entry) {
	now := max(e.at, s.last, 0)
	out := Event{Kind: e.kind, Conn: e.conn.number, Reply: e.reply, Chunk: e.chunk}
	if e.process != s.process {
		s.process = e.process
		s.record(Event{Kind: turn, Conn: out.Conn, Process: int(e.process)}, now)
	}
	data := e.data
	if e.kind == Enter && e.conn.blank != nil {
		data = e.conn.blank.Blank(e.reply, data)
	}
	for {
		n := min(len(data), blockSize/2)
		out.Data = data[:n]
		s.record(out, now)
		if data = data[n:]; len(data) == 0 {
			return
		}
	}
}

// record puts one record into the block, or into the next if it has no room.
func (s *strip) record(e Event, now int64) {
	if s.filling && len(s.buf)+longestRecord+len(e.Data) > blockSize-blockHead {
		s.seal()
	}
	if !s.filling {
		s.begin(now)
	}
	s.buf = appendRecord(s.buf, e, now-s.last)
	s.last = now
}

func (s *strip) begin(now int64) {
	if s.buf == nil {
		s.buf = make([]byte, 0, blockSize)
	}
	s.buf, s.filling, s.flushed, s.slot = s.buf[:0], true, 0, -1
	s.head = blockHeader{link: uint32(s.link), index: s.head.index, process: uint32(s.process), base: now}
	s.last = now
}

// seal writes the rest of the block. The next record starts a new one.
func (s *strip) seal() {
	s.save()
	if s.slot >= 0 {
		s.tape.mu.Lock()
		s.tape.slots.seal(s.slot, s.last)
		s.tape.mu.Unlock()
	}
	s.head.index++
	s.filling = false
}

func (s *strip) flush() {
	s.write.Lock()
	defer s.write.Unlock()
	s.drain()
	if s.filling {
		s.save()
	}
}

func (s *strip) close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.write.Lock()
	defer s.write.Unlock()
	s.drain()
	if s.filling {
		s.seal()
	}
}

// save writes the new part of the block: first its records, then the header with their number.
func (s *strip) save() {
	if s.flushed == len(s.buf) {
		return
	}
	if s.slot < 0 && !s.place() {
		return
	}
	at := int64(headSize) + int64(s.slot)*blockSize
	if _, err := s.tape.file.WriteAt(s.buf[s.flushed:], at+blockHead+int64(s.flushed)); err != nil {
		s.tape.failed(err)
		return
	}
	s.flushed = len(s.buf)
	s.head.used = uint32(s.flushed)
	if _, err := s.tape.file.WriteAt(s.head.encode(), at); err != nil {
		s.tape.failed(err)
	}
}

// place finds a place for the block, and marks it as empty there, because its former content is
// lost.
func (s *strip) place() bool {
	s.tape.mu.Lock()
	s.slot = s.tape.slots.take(s.link, s.head.base)
	s.tape.mu.Unlock()
	if s.slot < 0 {
		return false
	}
	if _, err := s.tape.file.WriteAt(s.head.encode(), int64(headSize)+int64(s.slot)*blockSize); err != nil {
		s.tape.failed(err)
	}
	return true
}

// A conn is a connection of a link.
type conn struct {
	*strip
	number int
	blank  Blanker
}

// A side is one of its directions.
type side struct {
	*conn
	reply bool
	chunk int
}

var _ cluster.Watcher = (*side)(nil)

// Enter implements cluster.Watcher.
func (d *side) Enter(data []byte) int {
	d.chunk++
	d.put(entry{conn: d.conn, kind: Enter, reply: d.reply, chunk: d.chunk, data: data})
	return d.chunk
}

// Leave implements cluster.Watcher.
func (d *side) Leave(chunk int) {
	d.put(entry{conn: d.conn, kind: Leave, reply: d.reply, chunk: chunk})
}

// Lose implements cluster.Watcher.
func (d *side) Lose(chunk int) {
	d.put(entry{conn: d.conn, kind: Lose, reply: d.reply, chunk: chunk})
}

// End implements cluster.Watcher.
func (d *side) End() { d.put(entry{conn: d.conn, kind: End, reply: d.reply}) }
