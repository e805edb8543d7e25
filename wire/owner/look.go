// Package owner tells who holds a lock on Redis of which nothing is known but the traffic. A
// lock of the user's own need not say under which key its servers keep the holder, nor what
// its clients call themselves there. A Learner finds the key in a run without faults; Names
// then gives every value of the key the name of the process that had sent it first, in the
// form that the checker reads (internal/wire.Owner).
package owner

import (
	"crypto/sha1"
	"encoding/hex"
	"slices"
	"strings"
)

// A Look says how the servers keep who holds a lock.
type Look struct {
	Key   string `json:"key"`            // the same on each server
	Hash  bool   `json:"hash,omitempty"` // the owner is the field of a hash; else the key's value
	Takes []Take `json:"takes"`          // the commands that put an owner there
}

// A Take is a command that takes the lock.
type Take struct {
	Command string `json:"command"` // as called names it
	Word    int    `json:"word"`    // the one that becomes the owner; 0 is the command itself
}

// called returns the name of a command: that of a script has its hash, however it is sent.
func called(words [][]byte) string {
	name := strings.ToUpper(string(words[0]))
	if len(words) < 2 {
		return name
	}
	switch name {
	case "EVAL":
		sum := sha1.Sum(words[1])
		return "EVAL " + hex.EncodeToString(sum[:])
	case "EVALSHA":
		return "EVAL " + strings.ToLower(string(words[1]))
	case "FCALL":
		return name + " " + string(words[1])
	}
	return name
}

// taken returns the owner that a command would make; "" if it takes nothing.
func (l Look) taken(words [][]byte) string {
	if len(words) == 0 || !slices.ContainsFunc(words[1:], func(w []byte) bool { return string(w) == l.Key }) {
		return ""
	}
	name := called(words)
	for _, t := range l.Takes {
		if t.Command == name && t.Word < len(words) {
			return string(words[t.Word])
		}
	}
	return ""
}
