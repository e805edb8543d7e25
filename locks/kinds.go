package locks

// The kinds of locks (Traits.Kind). The zero value is the exclusive lock.
const (
	Exclusive = ""          // one holder
	ReadWrite = "rw"        // one writer or many readers; Acquire takes it as a writer
	Semaphore = "semaphore" // several clients can hold permits at the same time
	Election  = "election"  // one leader; the token of its lease is its term

	CountDownLatch = "latch"   // each client is a Latch
	DoubleBarrier  = "barrier" // each client is a Barrier
)

// A Kind describes the common properties of all backends of a kind.
type Kind struct {
	// Name is the value of Traits.Kind.
	Name string
	// Model is the default of Traits.Model. It is "" if the model depends on the leases.
	Model string
	// Alone reports that a holder of Whole excludes all others, so that the workloads of exclusive
	// locks can use the kind.
	Alone bool
	// Whole is the claim beside which no other claim is granted.
	Whole Claim
}

// Kinds returns the table of kinds. It holds all differences between kinds that are data and not
// code.
func Kinds() []Kind {
	return []Kind{
		{Name: Exclusive, Alone: true},
		{Name: ReadWrite, Model: "timed-rwlock", Alone: true},
		{Name: Semaphore, Model: "timed-semaphore", Whole: Claim{Permits: 1, Capacity: 1}},
		{Name: CountDownLatch, Model: "latch"},
		{Name: DoubleBarrier, Model: "barrier", Whole: Claim{Parties: 1}},
		{Name: Election, Model: "election", Alone: true, Whole: Claim{Value: "somebody"}},
	}
}

// KindOf returns the kind with the given name; ok is false if there is none.
func KindOf(name string) (k Kind, ok bool) {
	for _, k := range Kinds() {
		if k.Name == name {
			return k, true
		}
	}
	return Kind{}, false
}
