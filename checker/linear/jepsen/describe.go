package jepsen

import (
	"errors"
	"fmt"
	"math/big"
	"strings"

	"locktorture/checker/linear"
)

// lockCall describes a call of a lock. It returns false for one that says
// nothing about the lock.
//
// A call was refused if the service said no to it: it failed without an error, or with one
// that speaks of who holds the lock, or it was answered with false. Any other failure says
// only that nothing was done.
func (b *building) lockCall(c *call, o *linear.Operation) (kept bool, err error) {
	status, answer := c.status()
	if c.echoed() {
		answer = value{}
	}
	if status == linear.OK && b.no(answer) {
		o.Status, answer = linear.Refused, value{}
	} else if status == linear.Refused && !refusal(c.done.failure) {
		return false, nil
	}
	f, shared := strings.CutSuffix(c.f, "-shared")
	o.Shared = shared
	if err := amounts(o, c.value, answer); err != nil {
		return false, err
	}
	switch {
	case acquiring[f]:
		o.F = linear.Acquire
		if o.Status == linear.OK {
			o.Token, err = b.token(answer, c.done.line)
		}
		return true, err
	case f == "release" || f == "unlock":
		o.F = linear.Release
	default:
		o.F = linear.Renew
	}
	o.Token, err = b.token(c.value, 0)
	return true, err
}

// no reports whether an answer is a refusal: false, and where locks have
// names also an empty text, for want of a token.
func (b *building) no(answer value) bool {
	return (answer.kind == boolean || answer.kind == text) && answer.text == "false" ||
		b.named && answer.kind == text && answer.text == ""
}

// refusal reports whether an error says that somebody else holds the lock, or
// that the caller does not. A missing error says that, too.
func refusal(failure string) bool {
	if failure == "" {
		return true
	}
	plain := strings.NewReplacer("-", " ", "_", " ").Replace(strings.ToLower(failure))
	for _, word := range []string{"held", "holder", "owner", "owned", "taken", "locked", "busy", "expired", "lost", "refused"} {
		if strings.Contains(plain, word) && !strings.Contains(plain, "connection "+word) {
			return true
		}
	}
	return false
}

// token reads a fencing token: a number, or the one after :token or :fence in a map. Texts are
// names of leases, without an order, and no tokens.
func (b *building) token(v value, granted int) (uint64, error) {
	for _, key := range []string{"token", "fence"} {
		if inner, ok := v.get(key); ok {
			v = inner
			break
		}
	}
	n, ok := new(big.Int).SetString(integral(v.text), 10)
	switch {
	case v.kind == number && !ok:
		return 0, fmt.Errorf("token %s is not an integer", quote(v))
	case v.kind != number && v.kind != text || !ok:
		return 0, nil
	case !n.IsUint64():
		return 0, fmt.Errorf("token %s is out of range: tokens are from 1 to 2⁶⁴-1", quote(v))
	}
	if n.Sign() == 0 && granted > 0 {
		b.zero = granted
	} else if granted > 0 {
		b.tokens = true
	}
	return n.Uint64(), nil
}

// objectCall describes a call of what a lock protects. It returns false for
// one that says nothing about the object.
func (b *building) objectCall(c *call, o *linear.Operation) (kept bool, err error) {
	status, answer := c.status()
	kept = status != linear.Refused
	switch c.f {
	case "read", "get":
		return status == linear.OK, b.read(o, answer, c)
	case "write", "put":
		o.F, o.Value = linear.Write, c.value.flat()
		return kept, b.same(c.value, c.line)
	case "append":
		o.F, o.Value = linear.Append, c.value.flat()
		return kept, nil
	case "cas":
		o.F = linear.CAS
		if c.value.kind != list || len(c.value.items) != 2 {
			return false, errors.New("the value of a cas must be [from to]")
		}
		from, to := c.value.items[0], c.value.items[1]
		o.Expect, o.Value = from.flat(), to.flat()
		return kept || b.strict && c.done.failure == "", errors.Join(b.same(from, c.line), b.same(to, c.line))
	case "add":
		o.F = linear.Add
		o.Delta, err = c.value.integer()
		return kept, err
	case "fetch-add", "faa":
		o.F = linear.FetchAdd
		if o.Delta, err = c.value.integer(); err == nil && status == linear.OK {
			o.Number, err = answer.integer()
		}
		return kept, err
	case "sell":
		o.F = linear.Sell
		return kept || refusedSale(c.done.failure), nil
	}
	return b.meeting(c, o, status, answer)
}

// refusedSale reports whether a failed sale was refused for want of units.
func refusedSale(failure string) bool {
	return failure == "" || strings.Contains(strings.ToLower(failure), "sold")
}

// read describes a successful read, of a register or of a sum.
func (b *building) read(o *linear.Operation, answer value, c *call) (err error) {
	o.F, o.Value = linear.Read, answer.flat()
	if o.Status != linear.OK {
		return nil
	}
	if o.Number, err = answer.integer(); err != nil {
		b.NoNumber = append(b.NoNumber, len(b.Operations))
	}
	return b.same(answer, c.done.line)
}

// same returns an error for a value that cannot be told apart from an earlier one of another
// kind, because both are written alike, such as 1 and "1". nil and "" count as the same value.
func (b *building) same(v value, line int) error {
	k := v.kind
	if k == none {
		k = text // both nil and "" stand for what is there before the first write
	}
	name := v.flat()
	was, ok := b.values[name]
	if ok && was.kind != k {
		return fmt.Errorf("%s is not the same as the value of line %d, but both are written alike", quote(v), was.line)
	}
	if !ok {
		b.values[name] = use{k, line}
	}
	return nil
}
