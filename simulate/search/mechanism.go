package search

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"locktorture/checker"
	"locktorture/history"
)

// A Mechanism describes how an anomaly came about, without times and client numbers. Clients are
// named by letters in the order of their roles in the witness, not of their requests, which depends
// on timing. A shrunk schedule must keep the mechanism; otherwise it is another finding.
type Mechanism struct {
	Anomaly string // kind
	Roles   string // actions in order, as in "A acquire, A release, B acquire"
	Fault   string // fault to which the checker attributes it, with its target: "clock", "pause of A"; "" for none
}

func (m Mechanism) String() string {
	if m.Fault == "" { // it may be the result of a fault that is over, such as a kill
		return fmt.Sprintf("%s (%s), with no fault in place", m.Anomaly, m.Roles)
	}
	return fmt.Sprintf("%s (%s) by %s", m.Anomaly, m.Roles, m.Fault)
}

// MechanismOf returns the mechanism behind an anomaly of an outcome.
func MechanismOf(o *Outcome, a checker.Anomaly) Mechanism {
	roles, did := rolesOf(a)
	m := Mechanism{Anomaly: a.Kind, Roles: strings.Join(did, ", ")}
	for _, i := range o.Result.Incidents.List {
		if i.Number != a.Incident || i.Cause == nil {
			continue
		}
		m.Fault = i.Cause.Kind()
		if c := i.Cause.Client; c > 0 {
			who := roles[c]
			if who == "" {
				who = "another"
			}
			m.Fault += " of " + who
		}
	}
	return m
}

// rolesOf returns the letters of the clients in a witness, and the actions of each, without
// repetitions.
func rolesOf(a checker.Anomaly) (roles map[int]string, did []string) {
	var clients []int
	deeds := map[int][]string{}
	for _, op := range a.Ops {
		if op.Client == 0 || op.F == history.Probe {
			continue
		}
		if len(deeds[op.Client]) == 0 {
			clients = append(clients, op.Client)
		}
		if !slices.Contains(deeds[op.Client], string(op.F)) {
			deeds[op.Client] = append(deeds[op.Client], string(op.F))
		}
	}
	slices.SortStableFunc(clients, func(a, b int) int { return slices.Compare(deeds[a], deeds[b]) })
	roles = map[int]string{}
	for i, c := range clients {
		roles[c] = string(rune('A' + min(i, 25)))
		for _, deed := range deeds[c] {
			did = append(did, roles[c]+" "+deed)
		}
	}
	return roles, did
}

// Shows returns an anomaly of the outcome with this mechanism; false if there is none.
func (m Mechanism) Shows(o *Outcome) (checker.Anomaly, bool) {
	for _, a := range Accused(o.Result, []string{m.Anomaly}) {
		if MechanismOf(o, a) == m {
			return a, true
		}
	}
	return checker.Anomaly{}, false
}

// whoever returns a mechanism of the outcome that equals m, except perhaps in the fault to
// which the checker attributes the anomaly. ok is false if there is none.
func (m Mechanism) whoever(o *Outcome) (other Mechanism, ok bool) {
	for _, a := range Accused(o.Result, []string{m.Anomaly}) {
		is := MechanismOf(o, a)
		if is == m {
			return m, true
		}
		if is.Roles == m.Roles && !ok {
			other, ok = is, true
		}
	}
	return other, ok
}

// Margin returns the least distance between a permitted and an actual time in a shrunk schedule: 2
// % of the TTL, at least 10 ms. Smaller distances would rarely show on real servers, where
// computation takes time.
func Margin(ttl time.Duration) time.Duration { return max(10*time.Millisecond, ttl/50) }
