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

// Check looks for expiries after which the cache was filled more than once.
func (CacheRebuildInvariant) Check(applied []history.Op) ([]Anomaly, Loss) {
	found, loss := once{
		part: "cache", kind: "duplicate-rebuild", unit: "rebuilds",
		story: func(name, times, who string) string {
			return fmt.Sprintf("expiry %s was rebuilt %s, by %s", name, times, who)
		},
	}.check(applied)
	queries := 0
	for i := range applied {
		if op := &applied[i]; op.F == history.Read && workKey(op) == "database" {
			queries++
		}
	}
	if loss.Of > 0 {
		loss.Note = fmt.Sprintf("%d expiries sent %d queries to the database", loss.Of-loss.Lost, queries)
	}
	return found, loss
}
