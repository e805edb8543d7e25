package invariant

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"locktorture/checker"
	"locktorture/history"
)

// PerKey judges each object by itself where a lock guards several of them:
// keys "<lock>/k<n>/…". Where there is only one object, PerKey judges as the invariant itself
// does.
type PerKey struct{ checker.Invariant }

var _ checker.Invariant = PerKey{}

// objectKey matches the beginning of a key, after its lock, if there are several objects.
var objectKey = regexp.MustCompile(`^k[0-9]+/`)

// objectName returns the object of an operation; "" if there is only one.
func objectName(op *history.Op) string {
	key := workKey(op)
	if !strings.HasPrefix(key, "k") {
		return ""
	}
	return strings.TrimSuffix(objectKey.FindString(key), "/")
}

// Each returns the invariant of each object.
func (p PerKey) Each() checker.Invariant { return p.Invariant }

type perKey struct {
	inv     checker.Invariant
	objects map[string]checker.Replay // by name
}

// Begin implements checker.Invariant.
func (p PerKey) Begin() checker.Replay { return &perKey{p.Invariant, map[string]checker.Replay{}} }

// Apply implements checker.Replay.
func (p *perKey) Apply(op *history.Op) []checker.Anomaly {
	name := objectName(op)
	r := p.objects[name]
	if r == nil {
		r = p.inv.Begin()
		p.objects[name] = r
	}
	if name == "" {
		return r.Apply(op)
	}
	op.Lock += "/" + name // so that the invariant sees the rest as its key
	found := r.Apply(op)
	for _, a := range found {
		for i := range a.Ops {
			a.Ops[i].Lock = strings.TrimSuffix(a.Ops[i].Lock, "/"+name)
		}
	}
	for i := range found {
		found[i].Lock = strings.TrimSuffix(found[i].Lock, "/"+name)
	}
	return found
}

// Loss implements checker.Replay: it adds up what the objects lost.
func (p *perKey) Loss() checker.Loss {
	if r := p.objects[""]; r != nil && len(p.objects) == 1 {
		return r.Loss()
	}
	var sum checker.Loss
	for _, name := range slices.Sorted(maps.Keys(p.objects)) {
		loss := p.objects[name].Loss()
		sum = checker.Loss{Lost: sum.Lost + loss.Lost, Of: sum.Of + loss.Of, Unit: loss.Unit}
	}
	return sum
}

// Forget implements checker.Forgetful.
func (p *perKey) Forget(lease int64) {
	for _, r := range p.objects {
		if r, ok := r.(checker.Forgetful); ok {
			r.Forget(lease)
		}
	}
}
