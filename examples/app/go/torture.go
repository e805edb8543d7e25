// Package torture tells torture app of the runs of a job. Without TORTURE_EVENTS it does nothing.
package torture

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
)

// An Event says which job, for which key, with which fencing token if there is one, and of an
// effect whether the store refused it.
type Event struct {
	Job     string `json:"job"`
	Key     string `json:"key,omitempty"`
	Token   uint64 `json:"token,omitempty"`
	Refused bool   `json:"refused,omitempty"`
}

// Tell sends what: begin, try, effect or end. It waits for the answer, without a time limit.
func Tell(what string, e Event) error {
	url := os.Getenv("TORTURE_EVENTS")
	if url == "" {
		return nil
	}
	body, err := json.Marshal(e)
	if err != nil {
		return err
	}
	answer, err := http.Post(url+"/"+what, "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	return answer.Body.Close()
}
