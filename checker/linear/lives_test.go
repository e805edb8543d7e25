package linear_test

import (
	"testing"

	"locktorture/checker/linear"
	"locktorture/history"
)

// After an operation of unknown outcome, a client goes on as another process, which renews and
// releases what the earlier one was granted; when it dies, that ends, too. Both lives are one owner.
func TestNextProcess(t *testing.T) {
	begun := []history.Op{
		{F: history.Acquire, Type: history.Invoke, Process: 0, Client: 1},
		{F: history.Acquire, Type: history.OK, Process: 0, Client: 1, Lease: 1},
		{F: history.Renew, Type: history.Invoke, Process: 0, Client: 1, Lease: 1},
		{F: history.Renew, Type: history.Info, Process: 0, Client: 1, Lease: 1},
	}
	release := []history.Op{
		{F: history.Release, Type: history.Invoke, Process: 2, Client: 1, Lease: 1},
		{F: history.Release, Type: history.OK, Process: 2, Client: 1, Lease: 1},
	}
	another := []history.Op{
		{F: history.Acquire, Type: history.Invoke, Process: 1, Client: 2},
		{F: history.Acquire, Type: history.OK, Process: 1, Client: 2, Lease: 2},
	}
	for name, c := range map[string]struct {
		then  [][]history.Op
		valid bool
	}{
		"released":          {[][]history.Op{release, another}, true},
		"not released":      {[][]history.Op{another}, false},
		"released too late": {[][]history.Op{another, release}, false},
		"dead":              {[][]history.Op{{{F: history.Crash, Type: history.Info, Process: 2, Client: 1}}, another}, true},
		"another is dead":   {[][]history.Op{{{F: history.Crash, Type: history.Info, Process: 3, Client: 2}}, another}, false},
		"told its loss":     {[][]history.Op{{{F: history.Lost, Type: history.Info, Process: 2, Client: 1, Lease: 1}}, another}, true},
		"released twice":    {[][]history.Op{release, release}, false},
	} {
		t.Run(name, func(t *testing.T) {
			h := append([]history.Op(nil), begun...)
			for _, part := range c.then {
				h = append(h, part...)
			}
			for i := range h {
				h[i].Lock, h[i].Time = "a", int64(i)
			}
			if v := watch(t, "mutex", h); (v == nil) != c.valid {
				t.Errorf("the monitor says %+v", v)
			}
			objects, err := linear.FromHistory(h)
			if err != nil {
				t.Fatal(err)
			}
			if v := linear.Check(objects.Locks["a"], "mutex", linear.Options{}); (v.Outcome == linear.Valid) != c.valid {
				t.Errorf("the checker says %+v", v)
			}
		})
	}
}
