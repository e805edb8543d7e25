package runs

import (
	"strconv"

	"github.com/spf13/pflag"

	"locktorture/internal/exit"
	"locktorture/wire/tape"
)

// NoWire is the value of --wire that records nothing.
const NoWire = "off"

// A WireSpec is what the flags say about the recording of the traffic. The zero WireSpec
// records nothing.
type WireSpec struct{ Wire string }

// Register adds the flag, with what it is without being named.
func (s *WireSpec) Register(f *pflag.FlagSet, usual string) {
	f.StringVar(&s.Wire, "wire", usual, "maximum size of the recorded traffic, in `MB`; off: record no traffic (see torture wire)")
}

// Check refuses what is no size.
func (s WireSpec) Check() error {
	_, err := s.Bytes()
	return err
}

// Bytes is the bound of the recording; 0: there is none.
func (s WireSpec) Bytes() (int64, error) {
	if s.Wire == NoWire || s.Wire == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(s.Wire, 10, 32)
	if err != nil || n < 1 || n<<20 > tape.Most {
		return 0, exit.Usage("--wire %q: a number of MB, from 1 to %d, or off", s.Wire, tape.Most>>20)
	}
	return n << 20, nil
}
