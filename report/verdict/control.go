package verdict

import (
	"slices"

	"locktorture/checker"
	"locktorture/history"
)

// Control reports whether a store is the control: it checks no token and stands beside one
// that does, to show what that prevents.
func Control(res checker.Result, s checker.StoreResult) bool {
	return s.Store == history.Plain && slices.ContainsFunc(res.Stores, func(other checker.StoreResult) bool { return other.Store == history.Fenced })
}

// InControl says of a property that it was violated in the control store alone; "" where it
// was not.
func InControl(res checker.Result, p checker.Property) string {
	ofStores := p.Name == checker.Workload || p.Name == checker.Linearizability && p.Total == len(p.Anomalies) // else also of the lock
	if !ofStores || p.Status != checker.Violated || len(p.Anomalies) == 0 {
		return ""
	}
	for _, s := range res.Stores {
		if s.Store == history.Fenced && !s.Correct {
			return ""
		}
	}
	for _, a := range p.Anomalies {
		if a.Store != history.Plain || !Control(res, checker.StoreResult{Store: a.Store}) {
			return ""
		}
	}
	return "in the control store, which checks no token"
}
