package main

import (
	"strconv"

	"github.com/spf13/pflag"

	"locktorture/wire/tape"
)

// noWire is the value of --wire that records nothing.
const noWire = "off"

// A wireSpec is what the flags say about the recording of the traffic. The zero wireSpec
// records nothing.
type wireSpec struct{ Wire string }

// register adds the flag, with what it is without being named.
func (s *wireSpec) register(f *pflag.FlagSet, usual string) {
	f.StringVar(&s.Wire, "wire", usual, "recording of the traffic, for torture wire: at most so many `MB`, or off")
}

// check refuses what is no size.
func (s wireSpec) check() error {
	_, err := s.bytes()
	return err
}

// bytes is the bound of the recording; 0: there is none.
func (s wireSpec) bytes() (int64, error) {
	if s.Wire == noWire || s.Wire == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(s.Wire, 10, 32)
	if err != nil || n < 1 || n<<20 > tape.Most {
		return 0, usage("--wire %q: a number of MB, from 1 to %d, or off", s.Wire, tape.Most>>20)
	}
	return n << 20, nil
}
