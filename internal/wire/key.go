package wire

import "strings"

// Key is a key of the store that a lock protects: "LOCK/REST". All keys begin with the name of
// their lock, so that an operation is judged with the lock that guards it.
func Key(lock, rest string) string { return lock + "/" + rest }

// CutKey reads a key: its lock, and what comes behind.
func CutKey(key string) (lock, rest string) {
	lock, rest, _ = strings.Cut(key, "/")
	return lock, rest
}

// KeyOf reads what comes behind a lock in one of its keys. ok is false for a key of another.
func KeyOf(lock, key string) (rest string, ok bool) { return strings.CutPrefix(key, lock+"/") }
