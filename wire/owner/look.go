// Package owner finds the holder of a lock on Redis of which only the traffic is known. A user's
// lock need not reveal the key under which its servers store the holder, nor the names of its
// clients there. A Learner finds the key in a run without faults. Names then replaces every value
// of the key by the name of the process that sent it first, in the form that the checker reads
// (internal/wire.Owner).
package owner

import (
	"crypto/sha1"
	"encoding/hex"
	"slices"
	"strings"
)

// A Look describes how the servers store the holder of a lock.
type Look struct {
	Key   string `json:"key"`            // equal on all servers
	Hash  bool   `json:"hash,omitempty"` // the owner is the field of a hash; otherwise the key's value
	Takes []Take `json:"takes"`          // the commands that store an owner there
}

// A Take is a command that takes the lock.
type Take struct {
	Command string `json:"command"` // its name as returned by called
	Word    int    `json:"word"`    // index of the word that becomes the owner; 0 is the command itself
}

// called returns the name of a command. The name of a script contains its hash, in every form in
// which it is sent.
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

// taken returns the owner that a command would store, or "" if it takes no lock.
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
