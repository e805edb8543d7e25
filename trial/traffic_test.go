package trial

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"locktorture/report/votes"
	"locktorture/wire/trace"
)

// A recording that is not there, or was cut off at its begin, does not keep a report from
// being written.
func TestTrafficOfNoRecording(t *testing.T) {
	dir := &Dir{Path: t.TempDir()}
	for _, text := range []string{"", "torture w"} {
		if text != "" {
			if err := os.WriteFile(filepath.Join(dir.Path, WireFile), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		traffic, done, err := Traffic(dir, nil)
		if traffic != nil || err != nil {
			t.Fatalf("%q: traffic %v, error %v", text, traffic != nil, err)
		}
		if err := done(); err != nil {
			t.Error(err)
		}
	}
}

// What a question asks for may go on long after the time that it names.
func TestFateOfAMessage(t *testing.T) {
	row := func(event string, at, came int64, text string) trace.Row {
		return trace.Row{Event: event, Time: at, Came: came, Client: 1, Node: "redis-1", Text: text}
	}
	rows := []trace.Row{row(trace.Message, 10, 0, "held"), row(trace.Message, 20, 0, "lost"), row(trace.Message, 90, 0, "after"),
		row(trace.Lost, 95, 20, "lost"), row(trace.Later, 100, 10, "held"), row(trace.Message, 110, 0, "where it ends")}
	read := 0
	got, err := pick(func(yield func(trace.Row, error) bool) {
		for _, r := range rows {
			if read++; !yield(r, nil) {
				return
			}
		}
	}, []votes.Question{{To: 50}}, func(trace.Row, string) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	want := [][]votes.Message{{{Client: 1, Node: "redis-1", Text: "held", Came: 10, Left: 100}, {Client: 1, Node: "redis-1", Text: "lost", Came: 20}}}
	if diff := cmp.Diff(want, got); diff != "" || read != len(rows) {
		t.Errorf("%d rows were read (-want +got):\n%s", read, diff)
	}
}
