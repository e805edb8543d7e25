package simulate

import (
	"bytes"
	"slices"
)

// leader returns the number of the server that leads the others; nothing if none does. A server that
// was cut off may believe that it leads: the one with the highest term does.
func (s *servers) leader() (number []int) {
	most := 0
	for _, n := range s.all {
		if n.member == nil || n.down {
			continue
		}
		if term := s.w.guestKind().leads(n.member.proc.proc.Said()); term > most {
			number, most = []int{n.number}, term
		}
	}
	return number
}

// explains returns the lines of a server's log that may explain its end: all but those that only
// inform. What others write explains it whole.
func explains(n *node, said []byte) []byte {
	if n == nil {
		return said
	}
	return bytes.Join(slices.DeleteFunc(bytes.SplitAfter(said, []byte("\n")), n.w.guestKind().informs), nil)
}
