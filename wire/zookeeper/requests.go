package zookeeper

import (
	"fmt"
	"strings"
)

// The operations.
const (
	opCreate          = 1
	opDelete          = 2
	opExists          = 3
	opGetData         = 4
	opSetData         = 5
	opGetACL          = 6
	opSetACL          = 7
	opGetChildren     = 8
	opSync            = 9
	opPing            = 11
	opGetChildren2    = 12
	opCheck           = 13
	opMulti           = 14
	opCreate2         = 15
	opRemoveWatches   = 18
	opCreateContainer = 19
	opCreateTTL       = 21
	opAuth            = 100
	opSetWatches      = 101
	opSASL            = 102
	opSetWatches2     = 105
	opAddWatch        = 106
	opClose           = -11
	opError           = -1 // in the answer to a multi
)

func names(op int32) string {
	return map[int32]string{
		opCreate: "create", opDelete: "delete", opExists: "exists", opGetData: "getData", opSetData: "setData", opGetACL: "getACL",
		opSetACL: "setACL", opGetChildren: "getChildren", opSync: "sync", opPing: "ping", opGetChildren2: "getChildren", opCheck: "check",
		opMulti: "multi", opCreate2: "create", opRemoveWatches: "removeWatches", opCreateContainer: "createContainer", opCreateTTL: "createTTL",
		opAuth: "auth", opSetWatches: "setWatches", opSASL: "sasl", opSetWatches2: "setWatches", opAddWatch: "addWatch", opClose: "close",
	}[op]
}

// request returns the text of a request after its header, and false if the operation is unknown.
func request(op int32, r *record) (string, bool) {
	switch op {
	case opPing, opClose:
		return "", true
	case opAuth, opSASL:
		return fmt.Sprintf("(%d bytes)", len(r.b)), true
	case opCreate, opCreate2, opCreateContainer, opCreateTTL:
		return create(op, r), true
	case opDelete, opCheck:
		return version(r.word(), r.int()), true
	case opExists, opGetData, opGetChildren, opGetChildren2:
		path, watch := r.word(), r.bool()
		if watch {
			path += " watch"
		}
		return path, true
	case opSetData:
		path, data := r.word(), r.word()
		return version(path+" "+data, r.int()), true
	case opGetACL, opSync:
		return r.word(), true
	case opSetACL, opRemoveWatches, opAddWatch:
		return r.word(), true
	case opSetWatches, opSetWatches2:
		zxid := r.long()
		return fmt.Sprintf("from zxid 0x%x: data %s, exist %s, children %s", uint64(zxid), r.words(), r.words(), r.words()), true
	case opMulti:
		return multi(r)
	}
	return "", false
}

func version(text string, v int32) string {
	if v == -1 {
		return text
	}
	return fmt.Sprintf("%s version %d", text, v)
}

// create returns the attributes of a new node. It shows only the schemes of the access control
// list, because the list may contain names of users.
func create(op int32, r *record) string {
	path, data := r.word(), r.word()
	var acl []string
	for range r.count(12) {
		perms, scheme, _ := r.int(), r.word(), r.buffer()
		acl = append(acl, fmt.Sprintf("%s:%d", scheme, perms))
	}
	kind := map[int32]string{0: "persistent", 1: "ephemeral", 2: "sequential", 3: "ephemeral sequential", 4: "container", 5: "ttl", 6: "sequential ttl"}
	flags := r.int()
	text := fmt.Sprintf("%s %s %s acl %s", path, data, kind[flags], strings.Join(acl, ","))
	if op == opCreateTTL {
		text += fmt.Sprintf(" ttl %d ms", r.long())
	}
	return text
}

// mostParts bounds the number of parts of a multi.
const mostParts = 1000

func multi(r *record) (string, bool) {
	var parts []string
	for range mostParts {
		op, done := r.int(), r.bool()
		r.int()
		if r.bad || done {
			return strings.Join(parts, "; "), !r.bad
		}
		text, ok := request(op, r)
		if !ok || op == opMulti {
			return "", false
		}
		parts = append(parts, strings.TrimSpace(names(op)+" "+text))
	}
	return "", false
}
