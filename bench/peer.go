package bench

import (
	"context"
	"errors"
	"fmt"
)

// A Peer is one of our locks beside a library with the same algorithm, on the same
// servers, in turns.
type Peer struct {
	Ours        string        `json:"ours"`
	Theirs      string        `json:"theirs"`
	Uncontended []Uncontended `json:"uncontended,omitempty"` // theirs, then ours
	Contended   []Contended   `json:"contended,omitempty"`   // per number of clients: theirs, ours
	Mixed       []Mix         `json:"mixed,omitempty"`       // in the order of Contended
	Errors      []string      `json:"errors,omitempty"`
}

// A Pair is two locks that are measured in the same mode.
type Pair struct {
	Mode         string
	Theirs, Ours Side
}

// MeasurePeer compares two locks, which are named, in some modes with every number of clients
// of a plan. What goes wrong is noted. How long the parties of latches and barriers take to
// meet is not compared.
func MeasurePeer(ctx context.Context, c Config, p Plan, ours, theirs string, pairs []Pair, say func(string)) Peer {
	out := Peer{Ours: ours, Theirs: theirs}
	step := func(what string, measure func() error) {
		if ctx.Err() != nil {
			return
		}
		say(out.Ours + " beside " + out.Theirs + ": " + what)
		if err := measure(); err != nil && (ctx.Err() == nil || !errors.Is(err, ctx.Err())) {
			out.Errors = append(out.Errors, what+": "+err.Error())
		}
	}
	for _, pair := range pairs {
		out.alone(ctx, c, p, pair, step)
		out.together(ctx, c, p, pair, step)
	}
	return out
}

func (out *Peer) alone(ctx context.Context, c Config, p Plan, pair Pair, step func(string, func() error)) {
	if pair.Mode == Mixed {
		return
	}
	for _, n := range p.Clients {
		step("uncontended, "+plural(n, clientIn(pair.Mode)), func() error {
			u, err := MeasureUncontended(ctx, c, n, pair.Theirs, pair.Ours)
			if u.Mode = pair.Mode; len(u.Sides) > 0 {
				out.Uncontended = append(out.Uncontended, u)
			}
			return err
		})
	}
}

func (out *Peer) together(ctx context.Context, c Config, p Plan, pair Pair, step func(string, func() error)) {
	for _, n := range p.Waiters {
		switch pair.Mode {
		case Shared, CountDown, Party:
		case Mixed:
			step(beside(n), func() error {
				both, err := MeasureMixed(ctx, c, n, nil, nil, pair.Theirs, pair.Ours)
				out.Mixed = append(out.Mixed, both...)
				return err
			})
		default:
			step(fmt.Sprintf("contended, %d clients", n), func() error {
				both, err := MeasureContended(ctx, c, n, nil, nil, p.wanted(pair.Theirs, n), p.wanted(pair.Ours, n))
				out.Contended = append(out.Contended, both...)
				return err
			})
		}
	}
}
