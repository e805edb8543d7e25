package checker

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"locktorture/history"
)

// PerKey judges each object by itself where a lock guards several of them:
// keys "<lock>/k<n>/…". It is the invariant itself where there is only one.
type PerKey struct{ Invariant }

var _ Invariant = PerKey{}

// objectKey is what a key begins with, after its lock, if there are several objects.
var objectKey = regexp.MustCompile(`^k[0-9]+/`)

// Check splits the operations by their object and adds up what the invariant finds.
func (p PerKey) Check(applied []history.Op) ([]Anomaly, Loss) {
	objects := make(map[string][]history.Op)
	for _, op := range applied {
		name := strings.TrimSuffix(objectKey.FindString(workKey(&op)), "/")
		if name != "" {
			op.Lock += "/" + name // so that the invariant sees the rest as its key
		}
		objects[name] = append(objects[name], op)
	}
	if len(objects) == 1 && objects[""] != nil {
		return p.Invariant.Check(applied)
	}
	var found []Anomaly
	var sum Loss
	for _, name := range slices.Sorted(maps.Keys(objects)) {
		anomalies, loss := p.Invariant.Check(objects[name])
		for _, a := range anomalies {
			a.Lock = strings.TrimSuffix(a.Lock, "/"+name)
			for i := range a.Ops {
				a.Ops[i].Lock = strings.TrimSuffix(a.Ops[i].Lock, "/"+name)
			}
			found = append(found, a)
		}
		sum = Loss{Lost: sum.Lost + loss.Lost, Of: sum.Of + loss.Of, Unit: loss.Unit}
	}
	slices.SortStableFunc(found, func(a, b Anomaly) int { return cmp.Compare(a.Time, b.Time) })
	return found, sum
}
