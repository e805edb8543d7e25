// Package linear decides whether a history of operations on one object – a
// lock, or what a lock protects – is linearizable under a named model.
//
// Lock histories need no search: their order is nearly forced. Each model has
// a decision procedure that takes O(n log n) time or better and O(n) memory;
// where its preconditions do not hold it says so and a general search takes
// over, bounded in time and memory. Package porcupine is kept as the oracle
// against which both are tested, and as an engine of its own.
//
// A verdict is valid, invalid or unknown. Unknown always comes with its
// reason, invalid with the operations that prove it. The model is named by
// the caller and never guessed: a plain mutex and an expiring lease judge
// the same record differently.
//
// Intervals are closed: an operation that returns at the instant at which
// another is called is concurrent with it. Operations of one process are
// sequential, also where their stamps are equal.
package linear
