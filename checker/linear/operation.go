package linear

import (
	"fmt"
	"math"
)

// Never is the Return of an operation that has not returned.
const Never = math.MaxInt64

// An F names what an operation does.
type F uint8

// The functions of locks, and of the objects that locks protect.
const (
	Acquire   F = iota + 1 // take the lock; a refused one is a try, or a wait that ended with a refusal
	Renew                  // extend the lease
	Release                // give the lock back
	End                    // the holder is gone or was told its loss: everything it holds may end, at once or never
	Read                   // Value or Number is what was read
	Write                  // Value
	CAS                    // Expect to Value
	Append                 // Value, to a log or a string
	Add                    // Delta, without an answer
	FetchAdd               // Delta, answering Number, the sum before it
	Sell                   // one unit of a stock; refused when sold out
	CountDown              // of a latch, by one
	Await                  // until a latch is open; refused: it was not
	Enter                  // a barrier, with all parties
	Leave                  // a barrier, with all parties
	Campaign               // become the leader, for Value; answers Token, the term
	Resign                 // give leadership up; refused: it was over
	Observe                // who leads: Value, and Token, the term; refused: nobody does
)

var functions = [...]string{"", "acquire", "renew", "release", "end", "read", "write", "cas", "append", "add", "fetch-add", "sell",
	"count-down", "await", "enter", "leave", "campaign", "resign", "observe"}

func (f F) String() string {
	if int(f) < len(functions) && f > 0 {
		return functions[f]
	}
	return fmt.Sprintf("F(%d)", uint8(f))
}

// ParseF is the inverse of F.String.
func ParseF(s string) (F, bool) {
	for i, name := range functions {
		if i > 0 && name == s {
			return F(i), true
		}
	}
	return 0, false
}

// A Status is how an operation ended. The zero value claims nothing.
type Status uint8

// The ways in which an operation ends.
const (
	Pending Status = iota // outcome unknown: it may have happened, may still happen, or never
	OK                    // it happened between its call and its return
	Refused               // the service answered no; nothing changed
)

func (s Status) String() string {
	switch s {
	case OK:
		return "ok"
	case Refused:
		return "refused"
	}
	return "unknown"
}

// An Operation is one operation on the object that is checked: a closed
// interval on one clock and what was asked and answered. A process is
// sequential.
type Operation struct {
	Process int
	Call    int64 // in any unit, the same for all; nanoseconds where the model has a TTL
	Return  int64 // not before Call; not read if Pending
	F       F
	Status  Status
	Shared  bool   // of rwlock and timed-rwlock: as a reader
	Permits uint32 // of semaphore and timed-semaphore: how many an acquire takes; 0 means 1
	Token   uint64 // fencing token of the lease, 0: none
	Key     string // in the fenced store, whose mark guards several keys
	Value   string // written, read, appended, or set by a CAS
	Expect  string // what a CAS expected
	Delta   int64  // of Add and FetchAdd
	Number  int64  // what FetchAdd answered; what Read of a counter or a stock saw
	TTL     int64  // of the timed models, an Acquire or Renew: how long it is guaranteed; 0: Options.TTL
	Line    int    // where it was recorded, for the reader: history index of the call
}

// end returns when the operation was over; Never if its outcome is unknown.
func (o *Operation) end() int64 {
	if o.Status == Pending {
		return Never
	}
	return o.Return
}

func (o Operation) String() string {
	s := fmt.Sprintf("process %d %s", o.Process, o.F)
	if o.Shared {
		s += " shared"
	}
	if o.Permits > 1 {
		s += fmt.Sprintf(" %d permits", o.Permits)
	}
	if o.Key != "" {
		s += " " + o.Key
	}
	switch o.F {
	case Write, Append, Campaign, Observe:
		s += " " + quote(o.Value)
	case CAS:
		s += " " + quote(o.Expect) + "→" + quote(o.Value)
	case Add:
		s += fmt.Sprintf(" %+d", o.Delta)
	case FetchAdd:
		s += fmt.Sprintf(" %+d=%d", o.Delta, o.Number)
	case Read:
		if o.Value != "" || o.Number == 0 {
			s += " " + quote(o.Value)
		} else {
			s += fmt.Sprintf(" %d", o.Number)
		}
	}
	if o.Token != 0 {
		s += fmt.Sprintf(" token %d", o.Token)
	}
	if o.TTL != 0 {
		s += fmt.Sprintf(" for %d", o.TTL)
	}
	if o.Status == Pending {
		return s + fmt.Sprintf(" [%d, unknown)", o.Call)
	}
	return s + fmt.Sprintf(" %s [%d, %d]", o.Status, o.Call, o.Return)
}

func quote(s string) string {
	if len(s) > 40 {
		s = s[:40] + "…"
	}
	return fmt.Sprintf("%q", s)
}
