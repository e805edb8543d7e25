package incident

import (
	"strings"

	"locktorture/history"
	"locktorture/internal/figures"
)

// Incidents are the anomalies of a run, each in one of its incidents. An incident is what went
// wrong at one time for one reason; docs/verdicts.md says exactly what belongs together.
type Incidents struct {
	Total  int             `json:"total"`
	Causes []IncidentCause `json:"causes,omitempty"` // causes of all incidents, the most frequent first
	List   []Incident      `json:"list,omitempty"`   // at most 100 by start, with the first of each cause and kind
	Rest   map[string]int  `json:"rest,omitempty"`   // number of anomalies in the other incidents, by kind
}

// An IncidentCause says to which fault incidents are attributed, and how many there are.
type IncidentCause struct {
	Nemesis   string         `json:"nemesis,omitempty"` // "": no fault was in place
	Effect    history.Effect `json:"effect,omitempty"`  // effect on its target
	Client    bool           `json:"client,omitempty"`  // the fault struck a client
	Rate      bool           `json:"rate,omitempty"`    // the fault changed the rate of clocks
	Incidents int            `json:"incidents"`
}

// An Incident is a group of anomalies that belong together.
type Incident struct {
	Number int    `json:"number"`         // from 1, in the order of the starts of all incidents
	Lock   string `json:"lock,omitempty"` // lock of its first anomaly
	Start  int64  `json:"start"`          // ns, time of its first anomaly; for liveness, when the wait began
	End    int64  `json:"end"`            // ns, time of its last anomaly

	Cause  *history.Op  `json:"cause,omitempty"`  // the fault to which it is attributed; nil: none was in place
	Faults []history.Op `json:"faults,omitempty"` // in place at some time of the incident, the last 20

	Anomalies map[string]int `json:"anomalies"` // number of anomalies of each kind
	Lost      []IncidentLoss `json:"lost,omitempty"`
	Witness   Anomaly        `json:"witness"` // its first anomaly
}

// PutDownTo returns the cause of an incident.
func (i Incident) PutDownTo() IncidentCause {
	if i.Cause == nil {
		return IncidentCause{}
	}
	traits := i.Cause.FaultTraits()
	return IncidentCause{Nemesis: i.Cause.Kind(), Effect: traits.Effect, Client: i.Cause.Client > 0, Rate: traits.Rate != 0}
}

// An IncidentLoss is the cost of an incident in one store.
type IncidentLoss struct {
	Store string `json:"store"`
	Lost  int    `json:"lost"` // net number of lost updates or units
	Unit  string `json:"unit,omitempty"`
}

// Says counts the incidents by their causes.
func (i Incidents) Says() string {
	all := figures.Plural(i.Total, "incident", "incidents")
	if len(i.Causes) == 1 && i.Causes[0].Nemesis == "" {
		return all + ", no fault in place"
	}
	var parts []string
	for _, c := range i.Causes {
		part := c.Name()
		if i.Total > 1 {
			part += " ×" + figures.Count(c.Incidents)
		}
		parts = append(parts, part)
	}
	return all + " (" + strings.Join(parts, ", ") + ")"
}

// Name says what happened: "clock jump", "stopped client", "no fault".
func (c IncidentCause) Name() string {
	switch {
	case c.Nemesis == "":
		return "no fault"
	case c.Effect == history.Stopped && c.Client:
		return "stopped client"
	case c.Effect == history.Stopped:
		return "stopped server"
	case c.Effect == history.Killed:
		return "killed client"
	case c.Effect == history.Skewed && c.Client:
		return "a client's clock"
	case c.Effect == history.Skewed && c.Rate:
		return "clock rate"
	case c.Effect == history.Skewed:
		return "clock jump"
	case c.Effect == history.Held:
		return "delayed message"
	case c.Effect == history.Slowed:
		return "slow network"
	case c.Effect == history.Demoted:
		return "fail-over"
	}
	return c.Nemesis
}
