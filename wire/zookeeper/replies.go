package zookeeper

import (
	"fmt"
	"strings"
)

// outcome returns the word for an error code.
func outcome(code int32) string {
	name, ok := map[int32]string{
		0: "ok", -1: "SystemError", -2: "RuntimeInconsistency", -3: "DataInconsistency", -4: "ConnectionLoss", -5: "MarshallingError",
		-6: "Unimplemented", -7: "OperationTimeout", -8: "BadArguments", -100: "APIError", -101: "NoNode", -102: "NoAuth", -103: "BadVersion",
		-108: "NoChildrenForEphemerals", -110: "NodeExists", -111: "NotEmpty", -112: "SessionExpired", -113: "InvalidCallback", -114: "InvalidACL",
		-115: "AuthFailed", -118: "SessionMoved", -119: "NotReadOnly", -124: "RequestTimeout",
	}[code]
	if !ok {
		return fmt.Sprintf("error %d", code)
	}
	return name
}

// event returns the text of a watch's event.
func event(r *record) string {
	kind, state, path := r.int(), r.int(), r.word()
	kinds := map[int32]string{-1: "session", 1: "created", 2: "deleted", 3: "dataChanged", 4: "childrenChanged", 5: "dataWatchRemoved", 6: "childWatchRemoved"}
	states := map[int32]string{0: "disconnected", 3: "connected", 4: "authFailed", 5: "readOnly", 6: "saslAuthenticated", -112: "expired"}
	name, ok := kinds[kind]
	if !ok {
		name = fmt.Sprintf("kind %d", kind)
	}
	if states[state] == "connected" {
		return name + " " + path
	}
	return fmt.Sprintf("%s %s (%s)", name, path, states[state])
}

// reply returns the text of a reply after its header.
func reply(op int32, r *record) string {
	switch op {
	case opCreate:
		return r.word()
	case opCreate2, opCreateContainer, opCreateTTL:
		return r.word() + " " + stat(r)
	case opExists, opSetData, opSetACL:
		return stat(r)
	case opGetData:
		data := r.word()
		return data + " " + stat(r)
	case opGetChildren:
		return r.words()
	case opGetChildren2:
		names := r.words()
		return names + " " + stat(r)
	case opSync:
		return r.word()
	case opMulti:
		return results(r)
	}
	return ""
}

// stat returns the text of a node's attributes.
func stat(r *record) string {
	czxid := r.long()
	r.take(3 * 8) // mzxid, ctime, mtime
	version := r.int()
	r.take(2 * 4) // cversion, aversion
	owner := r.long()
	r.take(2*4 + 8) // dataLength, numChildren, pzxid
	text := fmt.Sprintf("(czxid 0x%x version %d", uint64(czxid), version)
	if owner != 0 {
		text += fmt.Sprintf(" of session 0x%x", uint64(owner))
	}
	return text + ")"
}

// results returns the results of a multi, one for each of its parts.
func results(r *record) string {
	var parts []string
	for range mostParts {
		op, done := r.int(), r.bool()
		code := r.int()
		if r.bad || done {
			break
		}
		if op == opError {
			parts = append(parts, outcome(r.int()))
			continue
		}
		if op == opMulti { // a multi contains no other multi
			r.bad = true
			break
		}
		parts = append(parts, strings.TrimSpace(outcome(code)+" "+reply(op, r)))
	}
	return strings.Join(parts, "; ")
}
