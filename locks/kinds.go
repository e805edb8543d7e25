package locks

// The kinds of what a backend offers (Traits.Kind). The zero value is the exclusive lock.
const (
	Exclusive = ""          // one holder
	ReadWrite = "rw"        // one writer or many readers; Acquire is the writer's
	Semaphore = "semaphore" // permits, of which several clients hold some
	Election  = "election"  // one leader; the token of its lease is its term

	CountDownLatch = "latch"   // its clients are a Latch each
	DoubleBarrier  = "barrier" // its clients are a Barrier each
)

// A Kind is what all backends of one kind have in common.
type Kind struct {
	Name  string // of Traits.Kind
	Model string // by which a backend is graded that names none; "": that depends on its leases
	Alone bool   // who has its whole has it alone: workloads of exclusive locks can be done with it
	Whole Claim  // what a client asks for beside which nobody else can have anything
}

// Kinds returns the table of kinds. What differs from one to the next stands here, where it is
// not code.
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

// KindOf looks a kind up by its name; ok is false if there is none.
func KindOf(name string) (k Kind, ok bool) {
	for _, k := range Kinds() {
		if k.Name == name {
			return k, true
		}
	}
	return Kind{}, false
}
