package tape

import (
	"sync"
	"sync/atomic"

	"locktorture/cluster"
)

// A strip is the part of a tape that records one link. What is told to it waits with its stamp
// in a queue, which costs the message that it is about next to nothing; it is blanked and
// written afterwards.
type strip struct {
	tape     *Tape
	link     int
	protocol string
	now      *atomic.Int64 // the client's process

	mu      sync.Mutex // guards what follows; taken after write
	closed  bool
	waiting []entry
	bytes   int // of their data

	write   sync.Mutex // guards what follows; taken before that of the tape
	spare   []entry    // room for the next to wait
	buf     []byte     // of the block that is being filled
	filling bool       // there is such a block
	flushed int        // of it
	slot    int        // where it lies in the file; -1: nowhere yet
	head    blockHeader
	last    int64 // time of the last record
	process int64 // as recorded last
}

// An entry is an event that waits to be written.
type entry struct {
	conn    *conn
	at      int64
	process int64
	data    []byte // as it came
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

// What waits is written every flushEvery, and as soon as it has so many entries, or so many
// bytes of data. At four times as much whoever tells more writes it first.
const (
	mostWaiting = 512
	mostBytes   = 128 << 10
)

// put stamps an event and lets it wait.
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

// drain records what waits; s.write is held.
func (s *strip) drain() {
	s.mu.Lock()
	list := s.waiting
	s.waiting, s.bytes = s.spare[:0], 0
	s.mu.Unlock()
	for _, e := range list {
		s.take(e)
	}
	clear(list) // the data is not kept
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

// seal writes the block to its end and begins a new one with the next record.
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

// save writes what is new of the block: first its records, then the header that counts them.
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

// place finds a place for the block, and says there that it is empty: what lay there before is
// gone.
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
