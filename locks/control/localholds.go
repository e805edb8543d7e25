package control

import (
	"context"
	"fmt"
	"net/url"
	"strconv"

	"locktorture/locks"
)

// list returns the holders of a lock in the words of the protocol; "" if there are none.
func (l *localLock) list() (words string) {
	if l == nil {
		return ""
	}
	for _, h := range l.holders {
		mode := "exclusive"
		switch {
		case h.shared:
			mode = "shared"
		case h.permits > 0:
			mode = "permits"
		}
		words += fmt.Sprintf(" %s %s %d", h.owner, mode, h.permits)
	}
	return words
}

// A LocalHoldsProbe queries a LocalServer for all holders of a lock.
type LocalHoldsProbe struct{ *LocalProbe }

var _ locks.Prober = LocalHoldsProbe{}

// NewLocalHoldsProbe returns a probe with a connection of its own. It reports the server under
// the name node.
func NewLocalHoldsProbe(addr, node string) LocalHoldsProbe {
	return LocalHoldsProbe{NewLocalProbe(addr, node)}
}

// Probe returns all holds of the lock. None of them has an expiry.
func (p LocalHoldsProbe) Probe(ctx context.Context, name string) ([]locks.Sight, error) {
	holds, err := p.local.holders(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("probe %s: %w", p.node, err)
	}
	return []locks.Sight{{Node: p.node, Holds: holds}}, nil
}

// holders asks the server for all holds of a lock.
func (l *Local) holders(ctx context.Context, name string) ([]locks.Hold, error) {
	s, err := l.connect(ctx)
	if err != nil {
		return nil, err
	}
	words, err := s.call(ctx, 0, l.last.Add(1), "holders", url.QueryEscape(name))
	if err != nil {
		return nil, err
	}
	if len(words)%3 != 1 || words[0] != "holders" {
		return nil, fmt.Errorf("local lock server answered %q", words)
	}
	holds := []locks.Hold{}
	for w := words[1:]; len(w) > 0; w = w[3:] {
		owner, err := url.QueryUnescape(w[0])
		if err != nil {
			return nil, err
		}
		permits, err := strconv.Atoi(w[2])
		if err != nil {
			return nil, err
		}
		holds = append(holds, locks.Hold{Owner: owner, Shared: w[1] == "shared", Permits: permits, Left: -1})
	}
	return holds, nil
}
