package checker

import (
	"fmt"
	"strings"

	"locktorture/history"
)

// A once is the invariant of workloads in which something is to be done once:
// keys "<lock>/<part>/<name>" are written by the one who does it. Every
// further write of such a key is an anomaly. The loss is in what was done too often.
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
	loss Loss
}

func (o once) begin() *onceReplay {
	return &onceReplay{o, map[string][]*history.Op{}, Loss{Unit: o.unit}}
}

// Apply implements Replay: it finds the keys that are written more than once.
func (o *onceReplay) Apply(op *history.Op) []Anomaly {
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
	return []Anomaly{o.anomaly(name, before, op)}
}

// Loss implements Replay.
func (o *onceReplay) Loss() Loss { return o.loss }

func (o once) anomaly(name string, before []*history.Op, op *history.Op) Anomaly {
	all := append(before[:len(before):len(before)], op)
	names := make([]string, len(all))
	for i, w := range all {
		names[i] = fmt.Sprintf("%s at %s (lease %d)", client(w), At(w.Time), w.Lease)
	}
	last := len(names) - 1
	who := strings.Join(names[:last], ", ") + " and " + names[last]
	return Anomaly{
		Kind: o.kind, Lock: op.Lock, Key: op.Key, Time: op.Time, Ops: Witness(all...),
		Sentence: o.story(name, times(len(all)), who),
	}
}
