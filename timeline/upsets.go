package timeline

import (
	"cmp"
	"math"
	"slices"

	"locktorture/history"
)

// everybody is whom a fault upsets that strikes more than one client.
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

// joined sorts windows and makes one of those that meet.
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

// upset reports whether a fault that may strike a client was in place at some time from…to.
func (s *Troubles) Upset(client int, from, to int64) bool {
	return within(s.upsets[Everybody], from, to) || client != Everybody && within(s.upsets[client], from, to)
}

// upsetAlone is upset, by the faults that struck that client and no other.
func (s *Troubles) UpsetAlone(client int, from, to int64) bool {
	return client != Everybody && within(s.upsets[client], from, to)
}

// within reports whether one of the windows, which are in order and apart, meets from…to.
func within(list []Window, from, to int64) bool {
	i, _ := slices.BinarySearchFunc(list, from, func(w Window, from int64) int { return cmp.Compare(w.To, from) })
	return i < len(list) && list[i].From <= to
}

// A sound process is one that has been served and has lost nothing since: it is
// connected, and its requests reach the service as soon as any.
type Sound struct {
	Process int
	Since   int64 // call of what it was served with last
	refused bool  // the lock, since then
}

// connections are the sound processes of the clients, so far.
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

// soundSince is the moment since which a process was surely connected, MaxInt64 for never.
func (c Connections) SoundSince(client, process int) int64 {
	if c[client].refused {
		return math.MaxInt64
	}
	return c.servedSince(client, process)
}

// servedSince is the same of a process that may have been refused a lock since.
func (c Connections) servedSince(client, process int) int64 {
	if s, ok := c[client]; ok && s.Process == process {
		return s.Since
	}
	return math.MaxInt64
}
