package cluster

import "time"

// goneTime bounds the time that a receiver has to accept held data. A stopped process still accepts
// data in its kernel buffers; only a process that has ended does not.
const goneTime = time.Second

// A flow is the data of one connection in one direction on its way through a valve.
type flow struct {
	valve  *valve
	stream Stream
	healed int // value of state.healed when the flow began

	watch watch

	queue []parcel        // waiting messages, in their order
	room  []parcel        // storage of the queue, reused when the queue is empty
	wait  <-chan struct{} // fires when the guard releases the first message; nil without a guard
	ended bool            // the sender has closed; queued messages are still sent
	live  bool            // counted in valve.live
}

// A parcel is a message that waits until it is due.
type parcel struct {
	data []byte
	due  time.Time
	held bool            // counted in valve.held
	free <-chan struct{} // the field Free of its Piece
	ends bool            // the field Ends of its Piece
	id   int             // number given by the watcher
}

// run moves data until the connection ends or the valve closes.
func (f *flow) run() {
	defer f.die()
	for {
		s := f.valve.state.Load()
		if s.healed > f.healed { // a cut has broken the connection
			f.dropLate()
			if s.reset > f.healed {
				f.drop()
			}
			f.flush(s)
			f.stream.finish()
			return
		}
		if s.cut {
			f.dropLate()
		}
		wait, stopped := f.flush(s)
		if stopped || f.ended && len(f.queue) == 0 && !s.cut && !f.holds(s) {
			f.stream.finish()
			return
		}
		if !f.step(s, wait) {
			return
		}
	}
}

// step waits for the next event and handles it. It returns false when the flow has ended. wait is
// nil if no message will become due.
func (f *flow) step(s *state, wait <-chan time.Time) bool {
	chunk, came := f.stream.take(f.ended, events{due: wait, free: f.wait, over: s.over, closed: f.valve.closed})
	switch came {
	case comes:
		f.enter(s, chunk)
	case ends:
		f.ended = true
	case closes:
		f.drop()
		f.stream.finish()
		return false
	}
	return true
}

// take queues a message or discards it.
func (f *flow) take(s *state, p parcel) {
	if now := f.valve.state.Load(); now != s {
		s = now // the link was disturbed during the wait
	}
	owned := s.hold != nil && (s.hold.owner.CompareAndSwap(nil, f) || s.hold.owner.Load() == f)
	switch {
	case owned && s.hold.pass == 0:
		p.held = true
		f.valve.held.Add(int64(len(p.data)))
	case s.cut:
		f.watch.lose(p)
		return
	case owned:
		s.hold.pass--
	}
	if d := f.valve.delay(s); d > 0 {
		f.valve.slowed.Add(1)
		p.due = time.Now().Add(d)
	}
	if f.queue = append(f.queue, p); len(f.queue) == 1 {
		f.room = f.queue
	}
}

// holds reports whether this flow is held back.
func (f *flow) holds(s *state) bool { return s.hold != nil && s.hold.owner.Load() == f }

// flush sends the messages that are due. wait fires when the next one is due. stopped reports that
// the flow cannot continue.
func (f *flow) flush(s *state) (wait <-chan time.Time, stopped bool) {
	f.wait = nil
	for len(f.queue) > 0 {
		p := f.queue[0]
		if p.held && f.holds(s) {
			return nil, false
		}
		if f.guarded(p) {
			return nil, false
		}
		if p.ends {
			f.drop()
			return nil, true
		}
		if !p.due.IsZero() && (s.latency > 0 || s.jitter > 0) {
			if late := time.Until(p.due); late > 0 {
				return time.After(late), false
			}
		}
		if !f.send(p) {
			f.drop()
			return nil, true
		}
		f.watch.leave(p)
		f.pop()
	}
	return nil, false
}

// send delivers a message. It returns false if the valve was closed, or if held data is for a
// process that has ended and accepts no data.
func (f *flow) send(p parcel) bool {
	if !f.live {
		f.live = true
		f.valve.live.Add(1)
	}
	var gone <-chan time.Time
	if p.held {
		gone = time.After(goneTime)
	}
	return f.stream.send(p.data, gone, f.valve.closed)
}

// die removes the flow from the count of flows that have carried data.
func (f *flow) die() {
	if f.live {
		f.valve.live.Add(-1)
	}
}

// pop removes the first message from the queue.
func (f *flow) pop() {
	if f.queue[0].held {
		f.valve.held.Add(-int64(len(f.queue[0].data)))
	}
	f.queue[0] = parcel{}
	if f.queue = f.queue[1:]; len(f.queue) == 0 {
		f.queue = f.room[:0]
	}
}

// drop discards all waiting messages.
func (f *flow) drop() {
	for len(f.queue) > 0 {
		f.watch.lose(f.queue[0])
		f.pop()
	}
}

// dropLate discards the messages that a cut catches on their way. Held messages remain.
func (f *flow) dropLate() {
	kept := f.queue[:0]
	for _, p := range f.queue {
		if p.held {
			kept = append(kept, p)
			continue
		}
		f.watch.lose(p)
	}
	f.queue = kept
}
