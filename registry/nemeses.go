package registry

import "locktorture/nemesis"

// Nemeses are the faults by the names that they declare.
func Nemeses() nemesis.Kinds { return nemesis.All() }
