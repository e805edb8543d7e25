package mutants

import (
	"context"
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"locktorture/locks"
)

//go:embed holds_list.lua
var listHoldsSource string

// A HoldsProbe lists the holds of Readers or of Permits.
type HoldsProbe struct {
	node string
	rdb  *goredis.Client
	list *goredis.Script
}

var _ locks.Prober = (*HoldsProbe)(nil)

// NewHoldsProbe returns a probe of the Redis at addr, which it reports as node.
func NewHoldsProbe(addr, node string, access *locks.Access) *HoldsProbe {
	return &HoldsProbe{node, dial(addr, access), goredis.NewScript(listHoldsSource)}
}

// Probe returns all holds of the lock.
func (p *HoldsProbe) Probe(ctx context.Context, name string) ([]locks.Sight, error) {
	rows, err := p.list.Run(ctx, p.rdb, []string{locks.Key("holds:", name)}).Slice()
	if err != nil {
		return nil, fmt.Errorf("probe %s: %w", p.node, err)
	}
	sight := locks.Sight{Node: p.node, Holds: []locks.Hold{}}
	for _, row := range rows {
		h, err := memberHold(row)
		if err != nil {
			return nil, fmt.Errorf("probe %s: %w", p.node, err)
		}
		sight.Holds = append(sight.Holds, h)
	}
	return []locks.Sight{sight}, nil
}

// memberHold parses a row of the script: "p2:OWNER" for two permits, and the remaining time in ms.
func memberHold(row any) (locks.Hold, error) {
	cells, ok := row.([]any)
	if !ok || len(cells) != 2 {
		return locks.Hold{}, fmt.Errorf("hold of %v", row)
	}
	claim, owner, _ := strings.Cut(fmt.Sprint(cells[0]), ":")
	ms, err := strconv.ParseInt(fmt.Sprint(cells[1]), 10, 64)
	if err != nil || claim == "" {
		return locks.Hold{}, fmt.Errorf("hold of %v", row)
	}
	h := locks.Hold{Owner: owner, Shared: claim[0] == 'r', Left: max(time.Duration(ms)*time.Millisecond, -1)}
	if claim[0] == 'p' {
		h.Permits, err = strconv.Atoi(claim[1:])
	}
	return h, err
}

// Close drops the connections.
func (p *HoldsProbe) Close() error { return p.rdb.Close() }
