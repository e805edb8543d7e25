package app

import (
	"bytes"
	"errors"
	"io"
	"os"
	"regexp"
	"strconv"
	"time"

	"locktorture/history"
)

const (
	// emptyEvery is the interval at which a pipe is checked. A line was not written before the last
	// check that found its pipe empty.
	emptyEvery = 5 * time.Millisecond
	// longestPart bounds the kept part of a line without an end, in bytes.
	longestPart = 64 << 10
	// aBlock is the smallest size of a chunk that reveals that a program buffers its lines, if the
	// chunk does not end with a line. aBlockOfLines is that size for any chunk: Python writes blocks
	// of whole lines.
	aBlock        = 4096
	aBlockOfLines = 8192
	// atAnyTime is the earliest time of a line for which only the time of reading is known.
	atAnyTime = 1
)

// An output is a stream of a process that is being read.
type output struct {
	from *os.File
	log  io.Writer
	now  func() int64
	line func(text string, began int64) // began: the earliest time at which it was written
	look bool                           // the times of lines matter

	started int64 // a time before the process was started

	part      []byte
	collected bool // the program collects its lines: when it wrote them is not known
}

// read reads until the stream ends. It never blocks the program.
func (o *output) read() {
	defer o.from.Close()
	buf := make([]byte, 64<<10)
	empty := max(o.started, atAnyTime)
	for {
		at := o.now()
		if waiting(o.from) == 0 {
			empty = at
		}
		if o.look {
			_ = o.from.SetReadDeadline(time.Now().Add(emptyEvery)) // a pipe has deadlines
		}
		n, err := o.from.Read(buf)
		if n > 0 {
			_, _ = o.log.Write(buf[:n]) // a Tail, which never fails
			o.take(buf[:n], empty)
		}
		if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			return
		}
	}
}

// take cuts the received data into lines.
func (o *output) take(data []byte, began int64) {
	if len(data) >= aBlock && data[len(data)-1] != '\n' || len(data) >= aBlockOfLines {
		o.collected = true
	}
	if o.collected {
		began = atAnyTime
	}
	o.part = append(o.part, data...)
	for {
		line, rest, whole := bytes.Cut(o.part, []byte("\n"))
		if !whole {
			break
		}
		o.line(string(bytes.TrimRight(line, "\r")), began)
		o.part = rest
	}
	if len(o.part) > longestPart {
		o.part = nil
	}
	o.part = bytes.Clone(o.part)
}

// match returns the groups of a pattern in a text.
func match(p *regexp.Regexp, text string) (s sight, ok bool) {
	m := p.FindStringSubmatch(text)
	if m == nil {
		return s, false
	}
	for i, group := range p.SubexpNames() {
		switch group {
		case "key":
			s.key = m[i]
		case "token":
			s.token = number(m[i])
		case "refused":
			s.refused = m[i] != ""
		}
	}
	return s, true
}

// number returns the number in a text, and 0 if it is none.
func number(text string) uint64 {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// lineSeen records the sights in a line of a replica.
func lineSeen(jobs []Job, b *book, client, process int, text string, began, now int64) {
	for _, j := range jobs {
		for _, mode := range []string{history.JobBegin, history.JobEffect, history.JobEnd} {
			p := j.Lines[mode]
			if p == nil {
				continue
			}
			s, ok := match(p, text)
			if !ok {
				continue
			}
			s.client, s.process, s.job, s.mode, s.way = client, process, j.Name, mode, "line"
			if mode != history.JobEffect { // its line was written after it, nobody knows how long
				s.began = began
			}
			b.seen(s, now)
		}
	}
}
