package jepsen

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"locktorture/checker/linear"
)

// amounts reads how many permits a call asks for, and how long, in ns, it is
// granted them: :permits and :ttl of a map. What the answer says takes precedence.
func amounts(o *linear.Operation, asked, answered value) error {
	for _, v := range []value{asked, answered} {
		if permits, ok := v.get("permits"); ok {
			n, err := permits.integer()
			if err != nil || n < 1 || n > math.MaxUint32 {
				return fmt.Errorf("permits %s is not a number of permits", quote(permits))
			}
			o.Permits = uint32(n)
		}
		if ttl, ok := v.get("ttl"); ok {
			n, err := ttl.integer()
			if err != nil || n < 0 {
				return fmt.Errorf("ttl %s is not a number of nanoseconds", quote(ttl))
			}
			o.TTL = n
		}
	}
	return nil
}

// meeting describes a call of a latch, a barrier or an election. A call that failed was not
// done. A failed wait also says that the latch was closed, and a failed observation that
// nobody led, unless its error says something else.
func (b *building) meeting(c *call, o *linear.Operation, status linear.Status, answer value) (kept bool, err error) {
	no := status == linear.OK && answer.kind == boolean && answer.text == "false"
	if no {
		o.Status, status, answer = linear.Refused, linear.Refused, value{}
	}
	done := status != linear.Refused
	says := func(words ...string) bool {
		return done || no || c.done.failure == "" || contains(c.done.failure, words...)
	}
	switch c.f {
	case "count-down", "countdown":
		o.F = linear.CountDown
		return done, nil
	case "await":
		o.F = linear.Await
		return says("closed", "not open"), nil
	case "enter":
		o.F = linear.Enter
		return done, nil
	case "leave":
		o.F = linear.Leave
		return done, nil
	case "campaign":
		o.F, o.Value = linear.Campaign, leader(c.value).flat()
		if status == linear.OK {
			o.Token, err = b.term(answer, c.done.line)
		}
		return done, err
	case "resign":
		o.F = linear.Resign
		o.Token, err = b.term(c.value, 0)
		return done || no || refusal(c.done.failure), err
	case "observe":
		return b.observe(c, o, status, answer, says("no leader", "nobody"))
	}
	return false, errors.New("unknown f")
}

// observe describes who was seen to lead: a value, or a map of :value and
// :term. An empty answer means that nobody leads.
func (b *building) observe(c *call, o *linear.Operation, status linear.Status, answer value, nobody bool) (kept bool, err error) {
	o.F = linear.Observe
	if status != linear.OK || leader(answer).kind == none {
		if status == linear.OK {
			o.Status = linear.Refused
		}
		return nobody, nil
	}
	o.Value = leader(answer).flat()
	if answer.kind == dict {
		o.Token, err = b.term(answer, c.done.line)
	}
	return true, err
}

// leader returns the leader that is meant: :value of a map, or the value itself.
func leader(v value) value {
	if inner, ok := v.get("value"); ok {
		return inner
	}
	if v.kind == dict {
		return value{}
	}
	return v
}

// term reads :term of a map, or else what token reads.
func (b *building) term(v value, granted int) (uint64, error) {
	if inner, ok := v.get("term"); ok {
		v = inner
	}
	return b.token(v, granted)
}

func contains(failure string, words ...string) bool {
	failure = strings.NewReplacer("-", " ", "_", " ").Replace(strings.ToLower(failure))
	for _, w := range words {
		if strings.Contains(failure, w) {
			return true
		}
	}
	return false
}
