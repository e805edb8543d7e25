package search

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"locktorture/checker"
	"locktorture/history"
)

// A Mechanism is how an anomaly came about, in words that have no times and no numbers of
// clients. Clients have letters in the order of what they did, not of when: who asked first
// hangs on luck. A schedule that is cut down must keep it; else it is another finding.
type Mechanism struct {
	Anomaly string // kind
	Roles   string // who did what, as in "A acquire, A release, B acquire"
	Fault   string // to which the checker puts it down, with whom that struck: "clock", "pause of A"; "" for none
}

func (m Mechanism) String() string {
	if m.Fault == "" { // it may be what is left of one that is over, as a kill
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

// rolesOf are the letters of the clients of a witness, and what each of them did, once.
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

// Shows tells whether an outcome has an anomaly that came about so.
func (m Mechanism) Shows(o *Outcome) (checker.Anomaly, bool) {
	for _, a := range Accused(o.Result, []string{m.Anomaly}) {
		if MechanismOf(o, a) == m {
			return a, true
		}
	}
	return checker.Anomaly{}, false
}

// whoever is the mechanism of an outcome that is the same but for the fault to which the checker
// puts it down.
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

// Margin is what lies between what may be and what was, at the least, in a schedule that is
// cut down: 2 % of the TTL, at least 10 ms. On real servers, where to compute takes time, less
// will rarely be seen.
func Margin(ttl time.Duration) time.Duration { return max(10*time.Millisecond, ttl/50) }
