package invariant

import (
	"fmt"

	"locktorture/checker"
	"locktorture/history"
	"locktorture/internal/figures"
)

// CacheRebuild judges the workload "cache-rebuild": after each
// expiry one client asks the database and fills the cache. The loss counts superfluous
// rebuilds. The note says how often the database was asked, which includes sections that were
// cut off before they filled the cache.
type CacheRebuild struct{}

var _ checker.Invariant = CacheRebuild{}

// Begin implements checker.Invariant.
func (CacheRebuild) Begin() checker.Replay {
	return &rebuilds{onceReplay: once{
		part: "cache", kind: "duplicate-rebuild", unit: "rebuilds",
		story: func(name, times, who string) string {
			return fmt.Sprintf("after expiry %s, the cache was filled %s, by %s", name, times, who)
		},
	}.begin()}
}

type rebuilds struct {
	*onceReplay
	queries int
}

// Apply implements checker.Replay.
func (r *rebuilds) Apply(op *history.Op) []checker.Anomaly {
	if op.F == history.Read && workKey(op) == "database" {
		r.queries++
	}
	return r.onceReplay.Apply(op)
}

// Loss implements checker.Replay.
func (r *rebuilds) Loss() checker.Loss {
	loss := r.loss
	if loss.Of > 0 {
		loss.Note = fmt.Sprintf("%s caused %s to the database",
			figures.Plural(loss.Of-loss.Lost, "expiry", "expiries"), figures.Plural(r.queries, "query", "queries"))
	}
	return loss
}
