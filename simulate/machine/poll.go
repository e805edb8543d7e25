package machine

import (
	"encoding/binary"
)

// Kinds of subscriptions, and the sizes of a subscription and of an event in bytes.
const (
	onClock = 0
	onRead  = 1
	onWrite = 2

	subscriptionSize = 48
	eventSize        = 32
)

// A subscription is an event that a poll waits for.
type subscription struct {
	user uint64 // returned with the event
	kind byte
	fd   int32
}

// A waiting is one poll.
type waiting struct {
	subs     []subscription
	deadline int64 // on the monotonic clock; Never if none
	at       uint32
}

// poll suspends the process until one of its subscriptions is due.
func poll(p *Process, m Memory, a []uint64) uint32 {
	n := uint32(a[2])
	raw, ok := m.Read(uint32(a[0]), subscriptionSize*n)
	if n == 0 || !ok {
		return einval
	}
	w := p.subscribe(raw)
	w.at = uint32(a[1])
	for {
		now, _ := p.World.Now(p)
		due := now >= w.deadline
		events := p.happened(m, w, due)
		if events > 0 || due {
			p.wake = Never
			m.WriteUint32Le(uint32(a[3]), events)
			return success
		}
		p.wake = w.deadline
		p.suspend()
	}
}

// subscribe parses the subscriptions of a poll. Relative times count from now.
func (p *Process) subscribe(raw []byte) waiting {
	w := waiting{deadline: Never}
	p.want = p.want[:0]
	now, _ := p.World.Now(p)
	now = max(now, p.last)
	for ; len(raw) >= subscriptionSize; raw = raw[subscriptionSize:] {
		s := subscription{user: binary.LittleEndian.Uint64(raw), kind: raw[8], fd: int32(binary.LittleEndian.Uint32(raw[16:]))}
		w.subs = append(w.subs, s)
		switch s.kind {
		case onClock:
			if d := int64(binary.LittleEndian.Uint64(raw[24:])); d >= 0 && d < Never-now {
				w.deadline = min(w.deadline, now+d)
				if d == 0 {
					w.deadline = 0
				}
			}
		case onRead:
			if f := p.files[s.fd]; f != nil {
				p.want = append(p.want, f)
			}
		}
	}
	return w
}

// happened writes the events that are due and returns their number: the events of files, or if
// there are none, the events of the clock.
func (p *Process) happened(m Memory, w waiting, due bool) (n uint32) {
	tell := func(s subscription) {
		var b [eventSize]byte
		binary.LittleEndian.PutUint64(b[:], s.user)
		b[10] = s.kind
		m.Write(w.at+eventSize*n, b[:])
		n++
	}
	for _, s := range w.subs {
		f := p.files[s.fd]
		if s.kind == onWrite || s.kind == onRead && (f == nil || f.ready()) {
			tell(s)
		}
	}
	if n > 0 || !due {
		return n
	}
	for _, s := range w.subs {
		if s.kind == onClock {
			tell(s)
		}
	}
	return n
}
