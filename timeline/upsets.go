package timeline

import (
	"cmp"
	"math"
	"slices"

	"locktorture/history"
)

// Everybody stands for the victim of a fault that may upset any client.
const Everybody = 0

// findUpsets sorts the times in which faults were in place, or on their way, by the client
// that they strike. A fault of a server, of a clock or of several clients may upset anybody.
func (s *Troubles) findUpsets() {
	s.upsets = map[int][]Window{}
	for _, f := range s.Faults {
		client, from := f.Op.Client, f.From
		if f.Traits.UpsetsAll {
			client = Everybody
		}
		if at, ok := f.Op.Began(); ok {
			from = at
		}
		s.upsets[client] = append(s.upsets[client], Window{from, f.To})
	}
	s.upsets[Everybody] = append(s.upsets[Everybody], s.Prepared...)
	for client, list := range s.upsets {
		s.upsets[client] = joined(list)
	}
}

// joined sorts windows and merges windows that meet.
func joined(list []Window) []Window {
	slices.SortFunc(list, func(a, b Window) int { return cmp.Compare(a.From, b.From) })
	out := list[:0]
	for _, w := range list {
		if n := len(out); n > 0 && w.From <= out[n-1].To {
			out[n-1].To = max(out[n-1].To, w.To)
			continue
		}
		out = append(out, w)
	}
	return out
}

// Upset reports whether a fault that may strike a client was in place at some time from…to.
func (s *Troubles) Upset(client int, from, to int64) bool {
	return within(s.upsets[Everybody], from, to) || client != Everybody && within(s.upsets[client], from, to)
}

// UpsetAlone is like Upset, but counts only faults that struck that client and no other.
func (s *Troubles) UpsetAlone(client int, from, to int64) bool {
	return client != Everybody && within(s.upsets[client], from, to)
}

// within reports whether one of the windows overlaps from…to. The windows must be in order and
// apart.
func within(list []Window, from, to int64) bool {
	i, _ := slices.BinarySearchFunc(list, from, func(w Window, from int64) int { return cmp.Compare(w.To, from) })
	return i < len(list) && list[i].From <= to
}

// A Sound process was served by the service and has lost no connection since. It is connected,
// and its requests reach the service as fast as those of any other.
type Sound struct {
	Process int
	Since   int64 // when it called the operation with which it was served last
	refused bool  // it was refused the lock since then
}

// Connections has the sound processes so far, by client.
type Connections map[int]Sound

// heard notes what the end of an operation on a lock says about the connection of its client.
func (c Connections) heard(client int, inv, ret *history.Op) {
	switch {
	case ret.Type == history.OK:
		c[client] = Sound{Process: inv.Process, Since: inv.Time}
	case ret.Type == history.Fail && (inv.F == history.Acquire || inv.F == history.Try):
		if s, ok := c[client]; ok {
			s.refused = true
			c[client] = s
		}
	default:
		delete(c, client)
	}
}

// SoundSince returns since when a process has surely been connected, MaxInt64 if it may not be. A
// client that was refused the lock since then may have left the queue.
func (c Connections) SoundSince(client, process int) int64 {
	if c[client].refused {
		return math.MaxInt64
	}
	return c.servedSince(client, process)
}

// servedSince is like SoundSince, but also counts a process that was refused the lock since.
func (c Connections) servedSince(client, process int) int64 {
	if s, ok := c[client]; ok && s.Process == process {
		return s.Since
	}
	return math.MaxInt64
}
