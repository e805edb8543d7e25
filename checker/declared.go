package checker

import "locktorture/timeline"

// What a run declares about itself, and what is counted of it, is package timeline's.
type (
	Options    = timeline.Options
	Throttling = timeline.Throttling
	Counts     = timeline.Counts
	Sample     = timeline.Sample
)
