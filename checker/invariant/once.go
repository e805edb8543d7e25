package invariant

import (
	"fmt"
	"strings"

	"locktorture/checker"
	"locktorture/history"
)

// A once is the invariant of workloads in which something is to be done once:
// keys "<lock>/<part>/<name>" are written by the one who does it. Every
// further write of such a key is an anomaly. The loss counts what was done too often.
type once struct {
	part  string // of the key
	kind  string // of the anomaly
	unit  string // of the loss
	story func(name, times, who string) string
}

// A onceReplay keeps the writes of each key.
type onceReplay struct {
	once
	done map[string][]*history.Op
	loss checker.Loss
}

func (o once) begin() *onceReplay {
	return &onceReplay{o, map[string][]*history.Op{}, checker.Loss{Unit: o.unit}}
}

// Apply implements checker.Replay: it finds the keys that are written more than once.
func (o *onceReplay) Apply(op *history.Op) []checker.Anomaly {
	name, ok := strings.CutPrefix(workKey(op), o.part+"/")
	if !ok || op.F == history.Read || op.Lease == 0 {
		return nil
	}
	o.loss.Of++
	before := o.done[op.Key]
	o.done[op.Key] = append(before, op)
	if len(before) == 0 {
		return nil
	}
	o.loss.Lost++
	return []checker.Anomaly{o.anomaly(name, before, op)}
}

// Loss implements checker.Replay.
func (o *onceReplay) Loss() checker.Loss { return o.loss }

func (o once) anomaly(name string, before []*history.Op, op *history.Op) checker.Anomaly {
	all := append(before[:len(before):len(before)], op)
	names := make([]string, len(all))
	for i, w := range all {
		names[i] = fmt.Sprintf("%s at %s (lease %d)", client(w), checker.At(w.Time), w.Lease)
	}
	last := len(names) - 1
	who := strings.Join(names[:last], ", ") + " and " + names[last]
	return checker.Anomaly{
		Kind: o.kind, Lock: op.Lock, Key: op.Key, Time: op.Time, Ops: checker.Witness(all...),
		Sentence: o.story(name, times(len(all)), who),
	}
}
