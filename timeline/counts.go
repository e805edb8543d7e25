package timeline

// Counts say how much was seen.
type Counts struct {
	Ops       int            `json:"ops"`
	Grants    int            `json:"grants"`
	Refused   int            `json:"refused"` // acquires and tries that failed for certain
	Unknown   int            `json:"unknown"` // operations of unknown outcome
	Crashes   int            `json:"crashes"`
	Processes int            `json:"processes"`
	Faults    int            `json:"faults"`
	Bites     int            `json:"bites"`
	Duration  int64          `json:"duration"`            // ns
	Anomalies map[string]int `json:"anomalies,omitempty"` // by kind
}
