package tape

import (
	"sync"
	"sync/atomic"

	"locktorture/cluster"
)

// A strip is the part of a tape that records one link.
type strip struct {
	tape     *Tape
	link     int
	protocol string
	now      *atomic.Int64 // the client's process

	mu      sync.Mutex // guards what follows; taken before that of the tape
	closed  bool
	buf     []byte // of the block that is being filled
	filling bool   // there is such a block
	flushed int    // of it
	slot    int    // where it lies in the file; -1: nowhere yet
	head    blockHeader
	last    int64 // time of the last record
	process int64 // as recorded last
}

var _ cluster.Tap = (*strip)(nil)

// Connect implements cluster.Tap.
func (s *strip) Connect(cluster.Way) (requests, replies cluster.Watcher) {
	c := &conn{strip: s, number: int(s.tape.conns.Add(1))}
	if s.tape.cfg.Blank != nil {
		c.blank = s.tape.cfg.Blank(s.protocol)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put(Event{Kind: Connect, Conn: c.number})
	return &side{conn: c}, &side{conn: c, reply: true}
}

// put stamps and records an event; s.mu is held.
func (s *strip) put(e Event) {
	if s.closed {
		return
	}
	now := max(s.tape.cfg.Now(), s.last, 0)
	if p := s.now.Load(); p != s.process {
		s.process = p
		s.record(Event{Kind: turn, Conn: e.Conn, Process: int(p)}, now)
	}
	data := e.Data
	for {
		n := min(len(data), blockSize/2)
		e.Data = data[:n]
		s.record(e, now)
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
	s.write()
	if s.slot >= 0 {
		s.tape.mu.Lock()
		s.tape.slots.seal(s.slot, s.last)
		s.tape.mu.Unlock()
	}
	s.head.index++
	s.filling = false
}

func (s *strip) flush() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.filling && !s.closed {
		s.write()
	}
}

func (s *strip) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.filling {
		s.seal()
	}
	s.closed = true
}

// write writes what is new of the block: first its records, then the header that counts them.
func (s *strip) write() {
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
	d.mu.Lock()
	defer d.mu.Unlock()
	d.chunk++
	if d.blank != nil {
		data = d.blank.Blank(d.reply, data)
	}
	d.put(Event{Kind: Enter, Conn: d.number, Reply: d.reply, Chunk: d.chunk, Data: data})
	return d.chunk
}

// Leave implements cluster.Watcher.
func (d *side) Leave(chunk int) { d.tell(Event{Kind: Leave, Chunk: chunk}) }

// Lose implements cluster.Watcher.
func (d *side) Lose(chunk int) { d.tell(Event{Kind: Lose, Chunk: chunk}) }

// End implements cluster.Watcher.
func (d *side) End() { d.tell(Event{Kind: End}) }

func (d *side) tell(e Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	e.Conn, e.Reply = d.number, d.reply
	d.put(e)
}
