package checker

import (
	"fmt"

	"locktorture/history"
)

// CacheRebuildInvariant judges the workload "cache-rebuild": after each
// expiry one client asks the database and fills the cache. The loss is in
// rebuilds too many; the note says how often the database was asked, which a
// section does also if it is cut before it fills the cache.
type CacheRebuildInvariant struct{}

var _ Invariant = CacheRebuildInvariant{}

// Begin implements Invariant.
func (CacheRebuildInvariant) Begin() Replay {
	return &rebuilds{onceReplay: once{
		part: "cache", kind: "duplicate-rebuild", unit: "rebuilds",
		story: func(name, times, who string) string {
			return fmt.Sprintf("expiry %s was rebuilt %s, by %s", name, times, who)
		},
	}.begin()}
}

type rebuilds struct {
	*onceReplay
	queries int
}

// Apply implements Replay.
func (r *rebuilds) Apply(op *history.Op) []Anomaly {
	if op.F == history.Read && workKey(op) == "database" {
		r.queries++
	}
	return r.onceReplay.Apply(op)
}

// Loss implements Replay.
func (r *rebuilds) Loss() Loss {
	loss := r.loss
	if loss.Of > 0 {
		loss.Note = fmt.Sprintf("%d expiries sent %d queries to the database", loss.Of-loss.Lost, r.queries)
	}
	return loss
}
