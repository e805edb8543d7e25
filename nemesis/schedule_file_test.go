package nemesis_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"locktorture/nemesis"
)

func TestScheduleFileRoundTrip(t *testing.T) {
	w := shapeOf(5, 5, 3)
	want := plan(t, 3, w, all(), 2*time.Minute)
	var file bytes.Buffer
	if err := nemesis.WriteSchedule(&file, want); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(file.String(), "\n"); lines != len(want) {
		t.Errorf("%d lines for %d steps", lines, len(want))
	}
	got, err := nemesis.ReadSchedule(&file, w, all())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestReadScheduleRefuses(t *testing.T) {
	const good = `{"n":1,"at":1000,"for":2000,"fault":"pause","clients":[2],"mode":"client"}` + "\n"
	tests := []struct{ name, file, want string }{
		{"misspelt fault", good + `{"n":2,"at":2000,"for":1,"fault":"patrition"}`, `line 2: there is no fault "patrition"`},
		{"unknown field", `{"n":1,"at":1,"for":1,"fault":"pause","client":[2]}`, `line 1: json: unknown field "client"`},
		{"duration as text", `{"n":1,"at":"1s","for":1,"fault":"pause"}`, "line 1: json: cannot unmarshal string"},
		{"not JSON", good + "pause 2\n", "line 2: invalid character"},
		{"empty line", good + "\n" + good, "line 2: is empty"},
		{"two on a line", strings.TrimSpace(good) + good, "line 1: holds more than one object"},
		{"client too high", `{"n":1,"at":1,"for":1,"fault":"pause","clients":[6],"mode":"client"}`, "line 1: there is no client 6: they are numbered from 1 to 5"},
		{"client too low", `{"n":1,"at":1,"for":1,"fault":"pause","clients":[0],"mode":"client"}`, "line 1: there is no client 0"},
		{"node too high", `{"n":1,"at":1,"for":1,"fault":"clock","nodes":[5]}`, "line 1: there is no node 5: they are numbered from 0 to 4"},
		{"negative time", `{"n":1,"at":-1,"for":1,"fault":"kill-client","clients":[1]}`, "line 1: a duration is negative"},
		{"number twice", good + good, "line 2: number 1 does not follow number 1"},
		{"out of order", good + `{"n":2,"at":999,"for":1,"fault":"kill-client","clients":[1]}`, "line 2: step 2 is before step 1"},
		{"unknown mode", `{"n":1,"at":1,"for":1,"fault":"pause","clients":[1],"mode":"clients"}`, `line 1: fault pause: mode "clients" is not one of client, waiter, node`},
		{"two victims", `{"n":1,"at":1,"for":1,"fault":"kill-client","clients":[1,2]}`, "line 1: fault kill-client: needs one client, not 2"},
		{"clock that stands", `{"n":1,"at":1,"for":1,"fault":"clock","nodes":[1],"mode":"ahead","rate":1}`, "cannot have offset 0s"},
		{"no direction", `{"n":1,"at":1,"for":1,"fault":"hold","clients":[1],"nodes":[0],"mode":"message"}`, `direction "" is neither`},
		{"no delay", `{"n":1,"at":1,"for":1,"fault":"latency","nodes":[0]}`, "a delay of 0s"},
		{"nobody on the other side", `{"n":1,"at":1,"for":1,"fault":"partition","nodes":[0,1,2,3,4],"mode":"node-node"}`, "leaves no server on the other side"},
		{"not all nodes", `{"n":1,"at":1,"for":1,"fault":"failover","nodes":[0]}`, "must name all 5 nodes"},
	}
	w := shapeOf(5, 5, 3)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			steps, err := nemesis.ReadSchedule(strings.NewReader(tt.file), w, all())
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("steps %v, error %v, want %q", steps, err, tt.want)
			}
		})
	}
	w.Replication = nil
	_, err := nemesis.ReadSchedule(strings.NewReader(`{"n":1,"at":1,"for":1,"fault":"failover","nodes":[0,1,2,3,4]}`), w, all())
	if err == nil || !strings.Contains(err.Error(), "line 1: fault failover: there is no replica") {
		t.Errorf("a fault that the world cannot suffer: %v", err)
	}
}

func FuzzReadSchedule(f *testing.F) {
	f.Add(`{"n":1,"at":1000,"for":2000,"fault":"pause","clients":[2],"mode":"client"}`)
	f.Add(`{"n":1,"at":1,"for":1,"fault":"partition","nodes":[0],"mode":"asymmetric","direction":"requests"}`)
	w := shapeOf(5, 5, 3)
	f.Fuzz(func(t *testing.T, file string) {
		steps, err := nemesis.ReadSchedule(strings.NewReader(file), w, all())
		if err != nil {
			return
		}
		var again bytes.Buffer
		if err := nemesis.WriteSchedule(&again, steps); err != nil {
			t.Fatal(err)
		}
		reread, err := nemesis.ReadSchedule(&again, w, all())
		if err != nil || len(reread) != len(steps) {
			t.Fatalf("%q: written again: %v", file, err)
		}
	})
}
