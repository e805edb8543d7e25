package checker

import (
	"locktorture/checker/incident"
	"locktorture/checker/rule"
	"locktorture/timeline"
)

// Package timeline defines what a run declares about itself, and what is counted of it.
type (
	Options    = timeline.Options
	Throttling = timeline.Throttling
	Counts     = timeline.Counts
	Sample     = timeline.Sample
)

// Package incident defines what an anomaly is, and which anomalies belong together.
type (
	Anomaly       = incident.Anomaly
	Incidents     = incident.Incidents
	Incident      = incident.Incident
	IncidentCause = incident.IncidentCause
	IncidentLoss  = incident.IncidentLoss
)

// The names of the properties (Property.Name), in the order of a result.
const (
	Exclusion       = incident.Exclusion
	Fencing         = incident.Fencing
	Ownership       = incident.Ownership
	Liveness        = incident.Liveness
	Linearizability = incident.Linearizability
	Workload        = incident.Workload
)

// Kinds returns the names of all anomalies, in the order of a result.
func Kinds() []string { return rule.Names() }

// PropertyOf returns the property that a kind of anomaly violates.
func PropertyOf(kind string) string { return rule.PropertyOf(kind) }
