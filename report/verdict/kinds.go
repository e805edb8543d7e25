package verdict

import "locktorture/checker"

// A Kind is the anomalies of one kind within a property.
type Kind struct {
	Kind  string
	Total int // found; at least the number of those listed
	First checker.Anomaly
}

// Kinds groups the anomalies of a property in the order of their first ones.
func Kinds(res checker.Result, prop checker.Property) []Kind {
	var out []Kind
	index := map[string]int{}
	for _, a := range prop.Anomalies {
		i, seen := index[a.Kind]
		if !seen {
			i = len(out)
			index[a.Kind] = i
			out = append(out, Kind{Kind: a.Kind, First: a})
		}
		out[i].Total++
	}
	for i := range out {
		out[i].Total = max(out[i].Total, res.Counts.Anomalies[out[i].Kind])
	}
	return out
}

// A Measure is a sample with its name and what it means.
type Measure struct {
	Name, Meaning string
	Of            checker.Quantiles
}

// Measures returns the samples of a run, in the order in which they are shown.
func Measures(m checker.Measures) []Measure {
	return []Measure{
		{"acquire", "from the call of an acquire to its grant", m.Acquire},
		{"hold", "from a grant to the call of its release", m.Hold},
		{"release", "from the call of a release to its return", m.Release},
		{"recovery", "from a fault to the next grant", m.Recovery},
		{"notice lag", "from the next client's grant to the moment when the old holder was notified of its loss", m.NoticeLag},
	}
}
