package words

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Nodes are names of servers as a reader wants them: "redis-1 to redis-5", "redis-1, redis-3".
func Nodes(names []string) string {
	family, first, numbered := number(names)
	if len(names) > 2 && numbered {
		return fmt.Sprintf("%s to %s", Word(fmt.Sprint(family, first)), Word(fmt.Sprint(family, first+len(names)-1)))
	}
	return List(slices.Clone(names), ", ", "")
}

// number tells whether names are numbered one after another: of which family, and from where.
func number(names []string) (family string, first int, ok bool) {
	for i, name := range names {
		at := strings.LastIndexByte(name, '-') + 1
		n, err := strconv.Atoi(name[at:])
		switch {
		case err != nil || at == 0:
			return "", 0, false
		case i == 0:
			family, first = name[:at], n
		case name[:at] != family || n != first+i:
			return "", 0, false
		}
	}
	return family, first, true
}
