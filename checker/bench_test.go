package checker_test

import (
	"cmp"
	"fmt"
	"strconv"
	"testing"
	"time"

	"locktorture/checker"
	"locktorture/checker/invariant"
	"locktorture/history"
)

// long is a history of about n operations: clients take turns on one lock
// with sections of a read and a write, asks between them, and now and then a
// refused wait.
func long(n, clients int) history.History {
	var h history.History
	_ = generated{n, clients}.Each(func(op *history.Op) error {
		h = append(h, *op)
		return nil
	})
	return h
}

// generated is such a history that nobody holds.
type generated struct{ n, clients int }

// Each implements history.Source.
func (g generated) Each(take func(*history.Op) error) error {
	var now int64
	var failed error
	made, clients := 0, g.clients
	emit := func(op history.Op) {
		made++
		failed = cmp.Or(failed, take(&op))
	}
	add := func(op history.Op, done func(*history.Op)) {
		now += 20_000
		op.Time, op.Type = now, history.Invoke
		emit(op)
		now += 50_000
		op.Time, op.Type = now, history.OK
		if done != nil {
			done(&op)
		}
		emit(op)
	}
	apply := int64(0)
	for lease := int64(1); made < 2*g.n && failed == nil; lease++ {
		c := int(lease)%clients + 1
		op := history.Op{Process: c, Client: c, Lock: "L"}
		do := func(f history.F, done func(*history.Op)) {
			o := op
			o.F = f
			if f == history.Read || f == history.Write {
				o.Store, o.Key, o.Value = history.Plain, "L/counter", strconv.Itoa(int(lease))
			}
			add(o, done)
		}
		if lease%5 == 0 {
			do(history.Acquire, func(o *history.Op) { o.Type, o.Refused = history.Fail, history.ByServer })
		}
		do(history.Acquire, func(o *history.Op) {
			o.Lease, o.Token, o.Value = lease, uint64(lease), fmt.Sprintf("p%d:%d", c, lease)
		})
		op.Lease, op.Token = lease, uint64(lease)
		until := now + int64(2*time.Second)
		for _, f := range []history.F{history.Ask, history.Read, history.Ask, history.Write, history.Release} {
			do(f, func(o *history.Op) {
				switch f {
				case history.Ask:
					o.UntilMin, o.UntilMax = until, until
				case history.Read:
					apply++
					o.Apply, o.Value = apply, strconv.Itoa(int(lease)-1)
				case history.Write:
					apply++
					o.Apply = apply
				}
			})
		}
	}
	emit(history.Op{Time: now, Process: history.Harness, Type: history.Info, F: history.End, Value: history.Complete})
	return failed
}

func BenchmarkCheck(b *testing.B) {
	for _, n := range []int{100_000, 1_000_000} {
		h := long(n, 10)
		o := tokened
		o.Model = "fenced"
		b.Run(fmt.Sprintf("checker=all/clients=10/ops=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r := checker.Check(h, o, invariant.Counter{})
				if r.Grade != checker.Safe {
					b.Fatal(r.Sentence)
				}
			}
		})
	}
}
