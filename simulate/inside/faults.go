package inside

import "locktorture/nemesis"

// A Fault is a kind of fault by what it declares of itself.
type Fault nemesis.Traits

// Traits declares it.
func (f Fault) Traits() nemesis.Traits { return nemesis.Traits(f) }

// The names of faults that only a simulation has; the others are those of package nemesis.
const (
	Drop  = "drop"
	Reset = "reset"
)

// Faults are the kinds of faults that can strike in a simulation. A lock on Redis hangs on no connection, so that
// a broken one takes no lock away.
func Faults() []Fault {
	return []Fault{
		Fault(nemesis.Pause{}.Traits()), Fault(nemesis.KillClient{}.Traits()), Fault(nemesis.ClientClock{}.Traits()),
		Fault(nemesis.Hold{}.Traits()), Fault(nemesis.Clock{}.Traits()), Fault(nemesis.Restart{}.Traits()),
		{Name: Drop, About: "a message is lost, and its connection with it", Effect: nemesis.Cut, StrikesClients: true},
		{Name: Reset, About: "a connection is reset after a message of it", Effect: nemesis.Cut, StrikesClients: true},
	}
}
