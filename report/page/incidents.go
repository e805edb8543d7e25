package page

import (
	"slices"
	"strings"

	"locktorture/checker"
	"locktorture/report/verdict"
	"locktorture/report/words"
)

// An incidentView is an incident as the page lists it.
type incidentView struct {
	checker.Incident
	Lasted, Found string
	Cause, Others string // the fault that it is attributed to, and the kinds of the others in place
	Cost          string
	Link          int // of its witness, where that is listed; else 0
	Drawn         int // the same, where that is drawn
}

func incidentViews(list []checker.Incident, props []propView) []incidentView {
	var out []incidentView
	for _, i := range list {
		v := incidentView{Incident: i, Lasted: verdict.Lasted(i), Found: verdict.Found(i.Anomalies), Cause: cause(i), Others: others(i), Cost: verdict.Cost(i)}
		for _, p := range props {
			for _, a := range p.Anomalies {
				if a.Incident == i.Number && a.Kind == i.Witness.Kind && v.Link == 0 {
					v.Link = a.ID
				}
			}
		}
		out = append(out, v)
	}
	return out
}

// cause returns the fault that an incident is blamed on, with whom it struck and when.
func cause(i checker.Incident) string {
	name := words.Word(i.PutDownTo().Name())
	if i.Cause == nil {
		return name
	}
	if i.Cause.Node != "" {
		name += " of " + words.Nodes(i.Cause.Nodes())
	}
	return name + " at " + words.At(i.Cause.Time)
}

// others names the kinds of the other faults that were in place when it began.
func others(i checker.Incident) string {
	var kinds []string
	for _, f := range i.Witness.Faults {
		if (i.Cause == nil || f.Fault != i.Cause.Fault) && !slices.Contains(kinds, f.Key) {
			kinds = append(kinds, f.Key)
		}
	}
	if len(kinds) == 0 {
		return ""
	}
	return "also " + strings.Join(kinds, ", ")
}
