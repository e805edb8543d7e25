package invariant

import (
	"fmt"
	"strings"

	"locktorture/checker"
	"locktorture/history"
)

// Seckill judges the workload "seckill". After every operation, in
// every sale: what is left is never negative, sold + left is never more than
// the initial stock, and a user has one order at most. A section takes the
// unit before it writes the order, so a section that was cut off wastes a unit and breaks
// nothing. The loss counts units that were sold too often.
type Seckill struct{}

var _ checker.Invariant = Seckill{}

// A sale is one sale while its operations are replayed.
type sale struct {
	initial  int // the first value of its stock that was seen
	known    bool
	left     int
	sold     int
	excess   int         // greatest sold + left − initial so far
	stock    *history.Op // last write of the stock
	order    *history.Op // last order
	orders   map[string]*history.Op
	negative int
}

// A seckill holds the sales while they are replayed.
type seckill struct{ sales map[string]*sale }

// Begin implements checker.Invariant.
func (Seckill) Begin() checker.Replay { return &seckill{map[string]*sale{}} }

// Apply implements checker.Replay.
func (r *seckill) Apply(op *history.Op) []checker.Anomaly {
	part, n, user, ok := seckillKey(op)
	if !ok {
		return nil
	}
	id := op.Lock + "\x00" + n
	s := r.sales[id]
	if s == nil {
		s = &sale{orders: make(map[string]*history.Op)}
		r.sales[id] = s
	}
	switch {
	case part == "stock":
		return s.applyStock(op, n)
	case op.F != history.Read:
		return s.applyOrder(op, n, user)
	}
	return nil
}

// Loss implements checker.Replay.
func (r *seckill) Loss() checker.Loss {
	loss := checker.Loss{Unit: "units"}
	for _, s := range r.sales {
		loss.Of += s.sold
		loss.Lost += s.excess + s.negative
	}
	return loss
}

// seckillKey splits "stock/<n>" and "order/<n>/<user>".
func seckillKey(op *history.Op) (part, n, user string, ok bool) {
	part, rest, _ := strings.Cut(workKey(op), "/")
	n, user, _ = strings.Cut(rest, "/")
	return part, n, user, part == "stock" && n != "" || part == "order" && user != ""
}

func (s *sale) applyStock(op *history.Op, n string) []checker.Anomaly {
	left, err := checker.Number(op.Value)
	if err != nil {
		return []checker.Anomaly{torn(op)}
	}
	if !s.known && (op.F != history.Read || op.Value != "") {
		s.known, s.initial, s.left = true, left, left
	}
	if op.F == history.Read {
		return nil
	}
	s.left = left
	before := s.stock
	s.stock = op
	if -left > s.negative {
		s.negative = -left
		return []checker.Anomaly{{
			Kind: "oversold", Lock: op.Lock, Key: op.Key, Time: op.Time, Ops: checker.Witness(before, op),
			Sentence: fmt.Sprintf("%s left %d units in sale %s at %s (apply %d)", checker.By(op), left, n, checker.At(op.Time), op.Apply),
		}}
	}
	return s.judge(op, n, before)
}

func (s *sale) applyOrder(op *history.Op, n, user string) []checker.Anomaly {
	var found []checker.Anomaly
	if first := s.orders[user]; first != nil {
		found = append(found, checker.Anomaly{
			Kind: "double-order", Lock: op.Lock, Key: op.Key, Time: op.Time, Ops: checker.Witness(first, op),
			Sentence: fmt.Sprintf("user %s got a second order in sale %s: %s wrote %s at %s (apply %d) over %s by %s at %s (apply %d)",
				user, n, checker.By(op), op.Value, checker.At(op.Time), op.Apply, first.Value, checker.By(first), checker.At(first.Time), first.Apply),
		})
	}
	before := s.order
	s.orders[user], s.order = op, op
	s.sold++
	return append(found, s.judge(op, n, before)...)
}

// judge reports every unit by which sold + left exceeds the stock more than before.
func (s *sale) judge(op *history.Op, n string, before *history.Op) []checker.Anomaly {
	excess := s.sold + s.left - s.initial
	if !s.known || excess <= s.excess {
		return nil
	}
	s.excess = excess
	return []checker.Anomaly{{
		Kind: "oversold", Lock: op.Lock, Key: op.Key, Time: op.Time, Ops: checker.Witness(before, s.stock, s.order, op),
		Sentence: fmt.Sprintf("sale %s: after %s wrote %s = %q at %s (apply %d), %d units were sold and %d were left, but the sale had begun with %d",
			n, checker.By(op), op.Key, op.Value, checker.At(op.Time), op.Apply, s.sold, s.left, s.initial),
	}}
}
