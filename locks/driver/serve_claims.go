package driver

import (
	"context"
	"errors"
	"fmt"

	"locktorture/locks"
)

// claim returns the claim of an acquire. An unknown mode is an error, because its meaning is
// unknown to this version.
func (q request) claim() (locks.Claim, error) {
	switch q.Mode {
	case "":
		return locks.Claim{}, nil
	case modeShared:
		return locks.Claim{Shared: true}, nil
	case modePermits:
		if q.Permits < 1 || q.Capacity < q.Permits {
			return locks.Claim{}, fmt.Errorf("%w: %d permits of %d", locks.ErrNotAcquired, q.Permits, q.Capacity)
		}
		return locks.Claim{Permits: q.Permits, Capacity: q.Capacity}, nil
	case modeParty:
		if q.Parties < 1 {
			return locks.Claim{}, fmt.Errorf("%w: a barrier of %d parties", locks.ErrNotAcquired, q.Parties)
		}
		return locks.Claim{Parties: q.Parties}, nil
	case modeCampaign:
		if q.Value == "" {
			return locks.Claim{}, fmt.Errorf("%w: a campaign without a value", locks.ErrNotAcquired)
		}
		return locks.Claim{Value: q.Value}, nil
	}
	return locks.Claim{}, fmt.Errorf("mode %q: %w", q.Mode, errors.ErrUnsupported)
}

// leader answers a query for the leader.
func (s *server) leader(ctx context.Context, q request) *reply {
	r := &reply{ID: q.ID}
	l, err := s.opens()
	if err == nil {
		r.Value, r.Token, err = locks.Leader(ctx, l, q.Lock)
	}
	r.fail(err)
	return r
}
