package timeline

// Counts are the numbers of operations, faults and anomalies in a run.
type Counts struct {
	Ops       int            `json:"ops"`
	Grants    int            `json:"grants"`
	Refused   int            `json:"refused"` // acquires and tries that certainly failed
	Unknown   int            `json:"unknown"` // operations of unknown outcome
	Crashes   int            `json:"crashes"`
	Processes int            `json:"processes"`
	Faults    int            `json:"faults"`
	Bites     int            `json:"bites"`
	Duration  int64          `json:"duration"`            // ns
	Anomalies map[string]int `json:"anomalies,omitempty"` // number of anomalies of each kind
}
