package redis

import (
	"context"
	_ "embed"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"locktorture/locks"
)

//go:embed holds_rw.lua
var holdsRWSource string

// NewRWProbe returns a probe that lists the holds of an RW.
func NewRWProbe(nodes []Node, timeout time.Duration) locks.Prober {
	script := goredis.NewScript(holdsRWSource)
	p := newProbe(nodes, timeout)
	p.look = func(ctx context.Context, s *server, name string) (locks.Sight, error) {
		rctx, cancel := s.terms.Request(ctx)
		defer cancel()
		rows, err := script.Run(rctx, s.rdb, []string{lockKey(name)}, heldKey(name)).Slice()
		if err != nil {
			return locks.Sight{}, err
		}
		sight := locks.Sight{Holds: []locks.Hold{}}
		for _, row := range rows {
			h, err := rwHold(row)
			if err != nil {
				return locks.Sight{}, err
			}
			sight.Holds = append(sight.Holds, h)
		}
		return sight, nil
	}
	return p
}

// rwHold parses a row of the script.
func rwHold(row any) (locks.Hold, error) {
	cells, ok := row.([]any)
	if !ok || len(cells) != 3 {
		return locks.Hold{}, fmt.Errorf("hold of %v", row)
	}
	ms, err := strconv.ParseInt(fmt.Sprint(cells[2]), 10, 64)
	if err != nil {
		return locks.Hold{}, fmt.Errorf("end of a hold: %w", err)
	}
	return locks.Hold{Owner: fmt.Sprint(cells[0]), Shared: cells[1] == "read", Left: max(time.Duration(ms)*time.Millisecond, -1)}, nil
}

// NewPermitsProbe returns a probe that lists the holds of a Permits, each with its permits.
// The clocks of the holders set the ends of the holds, and the probe compares them with this
// machine's clock.
func NewPermitsProbe(nodes []Node, timeout time.Duration) locks.Prober {
	p := newProbe(nodes, timeout)
	p.look = func(ctx context.Context, s *server, name string) (locks.Sight, error) {
		rctx, cancel := s.terms.Request(ctx)
		defer cancel()
		out, err := s.rdb.ZRangeWithScores(rctx, outKey(name), 0, -1).Result()
		if err != nil {
			return locks.Sight{}, err
		}
		return locks.Sight{Holds: permitHolds(out, time.Now())}, nil
	}
	return p
}

// permitHolds combines the permits of each owner into one hold: they were taken together and
// have the same end.
func permitHolds(out []goredis.Z, now time.Time) []locks.Hold {
	holds, at := []locks.Hold{}, map[string]int{}
	for _, z := range out {
		member := fmt.Sprint(z.Member)
		owner := member[:max(strings.LastIndexByte(member, '/'), 0)]
		left := time.UnixMilli(int64(min(z.Score, math.MaxInt64/2))).Sub(now)
		if owner == "" || left <= 0 {
			continue
		}
		i, seen := at[owner]
		if !seen {
			i = len(holds)
			at[owner] = i
			holds = append(holds, locks.Hold{Owner: owner, Left: left})
		}
		holds[i].Permits++
		holds[i].Left = min(holds[i].Left, left)
	}
	return holds
}
