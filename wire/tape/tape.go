package tape

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"locktorture/cluster"
)

// flushEvery bounds the part of the recording that a kill -9 loses.
const flushEvery = 100 * time.Millisecond

// A Blanker removes the secrets from one connection. It is called by one goroutine at a time.
type Blanker interface {
	// Blank returns the data of one direction without secrets. It may change the protocol's
	// framing, but not its meaning, and must not change data itself.
	Blank(reply bool, data []byte) []byte
}

// A Config describes a recording and its file.
type Config struct {
	Path  string
	Links []Link
	// Limit bounds the file, in bytes. It must allow at least two and a half blocks for each link.
	Limit int64
	Now   func() int64 // the clock of the history
	// Blank returns the blanker of a connection, or nil for a protocol without secrets.
	Blank func(protocol string) Blanker
}

// A Tape records the data on links in a file of bounded size: a ring of blocks for each link. Links
// take blocks from each other as needed. Its methods may be called from several goroutines.
type Tape struct {
	cfg    Config
	file   *os.File
	strips []*strip
	works  map[int]*atomic.Int64 // process number of each client
	conns  atomic.Int64

	mu    sync.Mutex // guards the following
	slots slots
	err   error // sticky

	full       chan *strip // strips with much waiting data
	stop, done chan struct{}
}

// Least returns the smallest bound for recordings of this number of links: each link writes to a
// block of its own, and has one and a half full blocks.
func Least(links int) int64 { return headSize + int64(leastBlocks(links))*blockSize }

func leastBlocks(links int) int { return 2*links + links/2 + 2 }

// New makes the file.
func New(cfg Config) (*Tape, error) {
	f, err := os.Create(cfg.Path)
	if err != nil {
		return nil, fmt.Errorf("wire: %w", err)
	}
	t := &Tape{cfg: cfg, file: f, full: make(chan *strip, 16), stop: make(chan struct{}), done: make(chan struct{})}
	t.slots.max = max(int((cfg.Limit-headSize)/blockSize), leastBlocks(len(cfg.Links)))
	t.slots.links = len(cfg.Links)
	t.works = map[int]*atomic.Int64{}
	for i, l := range cfg.Links {
		if t.works[l.Client] == nil {
			t.works[l.Client] = &atomic.Int64{}
		}
		t.strips = append(t.strips, &strip{tape: t, link: i, protocol: l.Protocol, slot: -1, now: t.works[l.Client]})
	}
	if err := t.writeMeta(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	go t.flusher()
	return t, nil
}

func (t *Tape) writeMeta() error {
	meta, err := json.Marshal(Meta{Version: Version, Block: blockSize, Links: t.cfg.Links})
	if err == nil && len(magic)+len(meta)+1 > headSize {
		err = errors.New("too many links")
	}
	if err == nil {
		_, err = t.file.WriteAt(fmt.Appendf(nil, "%s%s\n", magic, meta), 0)
	}
	if err != nil {
		return fmt.Errorf("wire: %w", err)
	}
	return nil
}

// On returns the tap for the link with that index of Config.Links.
func (t *Tape) On(link int) cluster.Tap { return t.strips[link] }

// Process sets the number under which a client works from now on. A negative number means none.
func (t *Tape) Process(client, process int) {
	if p := t.works[client]; p != nil && client > 0 && process >= 0 && p.Load() != int64(process) {
		p.Store(int64(process))
	}
}

// Keep keeps the data between two times, in ns on the clock of the history, which may be in the
// future, as long as half of the tape has room for it.
func (t *Tape) Keep(from, to int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.slots.keep(from, to)
}

// Close writes the rest and ends the tape. Later events are not recorded. It returns the error of
// any write.
func (t *Tape) Close() error {
	close(t.stop)
	<-t.done
	for _, s := range t.strips {
		s.close()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	err := t.err
	if cerr := t.file.Close(); err == nil && cerr != nil {
		err = fmt.Errorf("wire: %w", cerr)
	}
	return err
}

func (t *Tape) flusher() {
	defer close(t.done)
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			for _, s := range t.strips {
				s.flush()
			}
		case s := <-t.full:
			s.flush()
		case <-t.stop:
			return
		}
	}
}

// hurry makes the flusher write a strip soon.
func (t *Tape) hurry(s *strip) {
	select {
	case t.full <- s:
	default: // it is busy, and writes all strips
	}
}

// failed keeps the first error of a write.
func (t *Tape) failed(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err == nil {
		t.err = fmt.Errorf("wire: %w", err)
	}
}
