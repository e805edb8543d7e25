package external

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"time"
)

// notInTables matches the characters that are not used in table names.
var notInTables = regexp.MustCompile(`[^A-Za-z0-9_]`)

// PrefixOn returns the prefix in the syntax that the servers of a topology require. Without a given
// prefix it draws one that no other run has.
func PrefixOn(topology, given string) string {
	if given == "" {
		const letters = "abcdefghijklmnopqrstuvwxyz"
		id := []byte(time.Now().Format("20060102-150405-"))
		for range 4 {
			id = append(id, letters[rand.IntN(len(letters))])
		}
		given = "torture:" + string(id) + ":"
	}
	switch topology {
	case "zookeeper-3": // the path of a node, which is made and removed
		return "/" + strings.Trim(given, "/:")
	case "mariadb", "mariadb-replica", "mariadb-3":
		return notInTables.ReplaceAllString(given, "_")
	}
	return given
}
