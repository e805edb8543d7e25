package simulate

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
)

// leader returns the number of the server that leads the others; nothing if none does. A server that
// was cut off may believe that it leads: the one with the highest term does.
func (s *servers) leader() (number []int) {
	most := 0
	for _, n := range s.all {
		if n.member == nil || n.down {
			continue
		}
		if term := leads(n.member.proc.proc.Said()); term > most {
			number, most = []int{n.number}, term
		}
	}
	return number
}

// role matches what a server of etcd writes to its log when it changes its role in a term.
var role = regexp.MustCompile(` became (leader|follower|candidate|pre-candidate) at term (\d+)`)

// leads returns the term in which the server with this log leads; 0: it does not lead.
func leads(log []byte) (term int) {
	all := role.FindAllSubmatch(log, -1)
	if len(all) == 0 || string(all[len(all)-1][1]) != "leader" {
		return 0
	}
	term, _ = strconv.Atoi(string(all[len(all)-1][2])) // a term too large for an int: 0
	return term
}

// explains returns the lines of a server's log that may explain its end: all but those that only
// inform. What others write explains it whole.
func explains(n *node, said []byte) []byte {
	if n == nil {
		return said
	}
	lines := slices.DeleteFunc(bytes.SplitAfter(said, []byte("\n")), func(line []byte) bool {
		return bytes.HasPrefix(line, []byte(`{"level":"info"`)) || bytes.Contains(line, []byte(" I | ")) // etcd 3.4 and older
	})
	return bytes.Join(lines, nil)
}
