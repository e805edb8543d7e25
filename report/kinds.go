package report

import "locktorture/checker"

// A kind is the anomalies of one kind within a property.
type kind struct {
	Kind  string
	Total int // found; at least the number of those listed
	First checker.Anomaly
}

// kinds groups the anomalies of a property in the order of their first ones.
func kinds(res checker.Result, prop checker.Property) []kind {
	var out []kind
	index := map[string]int{}
	for _, a := range prop.Anomalies {
		i, seen := index[a.Kind]
		if !seen {
			i = len(out)
			index[a.Kind] = i
			out = append(out, kind{Kind: a.Kind, First: a})
		}
		out[i].Total++
	}
	for i := range out {
		out[i].Total = max(out[i].Total, res.Counts.Anomalies[out[i].Kind])
	}
	return out
}

// A measure is a sample with its name and what it means.
type measure struct {
	Name, Meaning string
	Of            checker.Quantiles
}

func measured(m checker.Measures) []measure {
	return []measure{
		{"acquire", "from the call of an acquire to its grant", m.Acquire},
		{"hold", "from a grant to the call of its release", m.Hold},
		{"release", "the release call", m.Release},
		{"recovery", "from a fault to the next grant", m.Recovery},
		{"notice lag", "from another client's grant to the moment at which the holder was told of its loss", m.NoticeLag},
	}
}
