package redis

import (
	"regexp"
	"slices"
	"strings"
)

// called finds the commands that a script calls.
var called = regexp.MustCompile(`(?i)redis\.p?call\s*\(\s*['"]([a-z]+)['"]`)

// deed returns the effect of a script on a lock, as far as the commands that it calls reveal it:
// "acquire", "release" or "renew". It returns "" if the effect is ambiguous or none.
func deed(source string) string {
	ends, begins, extends := false, false, false
	for _, m := range called.FindAllStringSubmatch(source, -1) {
		switch name := strings.ToLower(m[1]); {
		case slices.Contains([]string{"del", "unlink", "getdel", "hdel", "zrem", "srem", "lrem"}, name):
			ends = true
		case slices.Contains([]string{"set", "setnx", "setex", "psetex", "hset", "hsetnx", "hincrby", "incr", "zadd", "sadd"}, name):
			begins = true
		case slices.Contains([]string{"expire", "pexpire", "expireat", "pexpireat"}, name):
			extends = true
		}
	}
	switch {
	case begins && !ends:
		return "acquire"
	case ends && !begins:
		return "release"
	case extends && !ends && !begins:
		return "renew"
	}
	return ""
}
