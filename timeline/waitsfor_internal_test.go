package timeline

import (
	"testing"

	"locktorture/history"
)

// TestWaitsForLatest: of two calls of a client that are under way the later says what the client
// waits for, each time that the history is read.
func TestWaitsForLatest(t *testing.T) {
	h := history.History{
		{F: history.Acquire, Type: history.Invoke, Time: 1, Process: 1, Client: 1, Lock: "A"},
		{F: history.Acquire, Type: history.Invoke, Time: 2, Process: 101, Client: 1, Lock: "B"},
		{F: history.Acquire, Type: history.Invoke, Time: 3, Process: 2, Client: 2, Lock: "C"},
		{F: history.Fault, Type: history.Info, Time: 4, Process: history.Nemesis, Client: 1, Fault: 1, Key: "pause"},
	}
	for range 50 {
		s, err := Survey(h, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Faults) != 1 || s.Faults[0].WaitedFor != "B" {
			t.Fatalf("%+v: the client waits for B", s.Faults)
		}
	}
}
