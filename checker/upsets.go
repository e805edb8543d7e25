package checker

import (
	"cmp"
	"math"
	"slices"

	"locktorture/history"
)

// everybody is whom a fault upsets that strikes more than one client.
const everybody = 0

// findUpsets sorts the times in which faults were in place, or on their way, by the client
// that they strike. A fault of a server, of a clock or of several clients may upset anybody.
func (s *survey) findUpsets() {
	s.upsets = map[int][]window{}
	for _, f := range s.faults {
		client, from := f.fault.Client, f.from
		if f.traits.UpsetsAll {
			client = everybody
		}
		if at, ok := f.fault.Began(); ok {
			from = at
		}
		s.upsets[client] = append(s.upsets[client], window{from, f.to})
	}
	s.upsets[everybody] = append(s.upsets[everybody], s.prepared...)
	for client, list := range s.upsets {
		s.upsets[client] = joined(list)
	}
}

// joined sorts windows and makes one of those that meet.
func joined(list []window) []window {
	slices.SortFunc(list, func(a, b window) int { return cmp.Compare(a.from, b.from) })
	out := list[:0]
	for _, w := range list {
		if n := len(out); n > 0 && w.from <= out[n-1].to {
			out[n-1].to = max(out[n-1].to, w.to)
			continue
		}
		out = append(out, w)
	}
	return out
}

// upset reports whether a fault that may strike a client was in place at some time from…to.
func (s *survey) upset(client int, from, to int64) bool {
	return within(s.upsets[everybody], from, to) || client != everybody && within(s.upsets[client], from, to)
}

// upsetAlone is upset, by the faults that struck that client and no other.
func (s *survey) upsetAlone(client int, from, to int64) bool {
	return client != everybody && within(s.upsets[client], from, to)
}

// within reports whether one of the windows, which are in order and apart, meets from…to.
func within(list []window, from, to int64) bool {
	i, _ := slices.BinarySearchFunc(list, from, func(w window, from int64) int { return cmp.Compare(w.to, from) })
	return i < len(list) && list[i].from <= to
}

// A sound process is one that has been served and has lost nothing since: it is
// connected, and its requests reach the service as soon as any.
type sound struct {
	process int
	since   int64 // call of what it was served with last
	refused bool  // the lock, since then
}

// connections are the sound processes of the clients, so far.
type connections map[int]sound

// heard notes what the end of an operation on a lock says about the connection of its client.
func (c connections) heard(client int, inv, ret *history.Op) {
	switch {
	case ret.Type == history.OK:
		c[client] = sound{process: inv.Process, since: inv.Time}
	case ret.Type == history.Fail && (inv.F == history.Acquire || inv.F == history.Try):
		if s, ok := c[client]; ok {
			s.refused = true
			c[client] = s
		}
	default:
		delete(c, client)
	}
}

// soundSince is the moment since which a process was surely connected, MaxInt64 for never.
func (c connections) soundSince(client, process int) int64 {
	if c[client].refused {
		return math.MaxInt64
	}
	return c.servedSince(client, process)
}

// servedSince is the same of a process that may have been refused a lock since.
func (c connections) servedSince(client, process int) int64 {
	if s, ok := c[client]; ok && s.process == process {
		return s.since
	}
	return math.MaxInt64
}
