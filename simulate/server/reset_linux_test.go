package server_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// asked is what a client can ask about what a server keeps beside its data.
var asked = []string{
	"CONFIG GET *", "ACL LIST", "FUNCTION LIST", "CLIENT ID", "MULTI", "CLIENT ID", "EXEC", "DBSIZE", "SCRIPT EXISTS e0e1f9fabfc9d4800c877a703b823ac0578ff8db",
}

// left is what a client leaves behind that is no key.
var left = []string{
	"CONFIG SET notify-keyspace-events KEA maxmemory 100mb maxmemory-policy allkeys-lru", "CONFIG SET proto-max-bulk-len 2mb", "ACL SETUSER other on >secret ~* +@all", "ACL SETUSER default -flushall",
	"SCRIPT LOAD return(1)", "SET key value", "CLIENT ID",
}

// TestResetIsFresh: a server that was reset answers as one that has just been started.
func TestResetIsFresh(t *testing.T) {
	fresh := answers(stepped(t))
	used := stepped(t)
	for round := range 3 {
		used.connect(1)
		for _, line := range left {
			used.at(time.Second, 1, strings.Fields(line)...)
		}
		used.at(time.Second, 1, "FUNCTION", "LOAD", "#!lua name=mine\nredis.register_function('f', function() return 1 end)")
		for _, said := range used.said {
			if strings.HasPrefix(said, "-") {
				t.Fatalf("nothing was left: %s", said)
			}
		}
		if err := used.srv.Reset(); err != nil {
			t.Fatal(err)
		}
		got := answers(used)
		for i, question := range asked {
			if got[i] != fresh[i] {
				t.Errorf("round %d: %s is answered by\n%.300q, by a fresh server by\n%.300q", round+1, question, got[i], fresh[i])
			}
		}
		if err := used.srv.Reset(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRestartForgetsSettings: a restart ends what was set at run time; libraries of functions
// are data.
func TestRestartForgetsSettings(t *testing.T) {
	k := stepped(t)
	k.connect(1)
	k.at(0, 1, "CONFIG", "SET", "maxmemory", "100mb")
	k.at(0, 1, "FUNCTION", "LOAD", "#!lua name=mine\nredis.register_function('f', function() return 1 end)")
	if err := k.srv.Restart(false); err != nil {
		t.Fatal(err)
	}
	k.said = nil
	k.connect(1)
	k.at(0, 1, "CONFIG", "GET", "maxmemory")
	k.at(0, 1, "FCALL", "f", "0")
	if got := strings.Join(k.said, "|"); got != "*2 $9 maxmemory $1 0 |:1 " {
		t.Errorf("it says %q", got)
	}
}

// ownFiles are the names of a server's directory and of what lies in it.
var ownFiles = regexp.MustCompile(`\d+ \S*torture-sim-\S*`)

func answers(k *talk) []string {
	k.said = nil
	k.connect(1)
	for _, line := range asked {
		k.at(0, 1, strings.Fields(line)...)
	}
	for i := range k.said {
		k.said[i] = ownFiles.ReplaceAllString(k.said[i], "FILE")
	}
	k.said[0] = sorted(k.said[0])
	return k.said
}

// sorted is a list of names and values by name: each process draws an order of its own.
func sorted(said string) string {
	var pairs []string
	for i, text := range strings.Split(strings.TrimSuffix(said, " "), " $")[1:] {
		if i%2 == 0 {
			pairs = append(pairs, text)
		} else {
			pairs[i/2] += " = " + text
		}
	}
	slices.Sort(pairs)
	return strings.Join(pairs, "\n")
}
