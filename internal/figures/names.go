package figures

import (
	"fmt"
	"strconv"
	"strings"
)

// Names writes names of servers for a reader: "redis-1 to redis-5" where more than two are
// numbered one after another, else "redis-1, redis-3".
func Names(names []string) string {
	if family, first, ok := numbered(names); ok && len(names) > 2 {
		return fmt.Sprintf("%s%d to %s%d", family, first, family, first+len(names)-1)
	}
	return strings.Join(names, ", ")
}

// numbered reports whether names end in numbers that follow one another, with what they have in
// common and the first number.
func numbered(names []string) (family string, first int, ok bool) {
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
