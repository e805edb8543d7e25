package votes

import (
	"slices"
	"strconv"
	"strings"
)

// node-redlock's script tells how many keys it has set, and begins with a comment that says
// so.
const nodeRedlock = `script("Return 0 if an entry already exists.")`

// A rule says what a yes to a kind of request is.
type rule struct {
	asks func(args []string) bool
	yes  func(reply string) bool
}

// rules lists the requests for which the meaning of a reply is known. It has no entry for
// unknown scripts, because a script may return anything.
var rules = [...]rule{
	{asks: sets, yes: func(reply string) bool { return reply == "OK" }},
	{asks: func(args []string) bool { return args[0] == "SETNX" }, yes: func(reply string) bool { return reply == "1" }},
	{asks: func(args []string) bool {
		return strings.HasPrefix(args[0], "EVAL") && strings.HasPrefix(strings.TrimPrefix(strings.Join(args[1:], " "), "acquire "), nodeRedlock+" ")
	}, yes: func(reply string) bool {
		n, err := strconv.Atoi(reply)
		return err == nil && n > 0
	}},
}

// sets reports whether a request is one that Redis answers OK if the key was free, and nil if
// not.
func sets(args []string) bool {
	return args[0] == "SET" && slices.ContainsFunc(args[min(3, len(args)):], func(a string) bool { return strings.EqualFold(a, "NX") })
}

// ruleOf returns what is known of a request; nil: nothing.
func ruleOf(request string) *rule {
	args := strings.Fields(request)
	for i := range rules {
		if len(args) > 0 && rules[i].asks(args) {
			return &rules[i]
		}
	}
	return nil
}

// counts reports whether it is known what a yes to a request is.
func counts(request string) bool { return ruleOf(request) != nil }

// grants reports whether a reply is a yes.
func grants(request, reply string) bool {
	r := ruleOf(request)
	return r != nil && r.yes(reply)
}

// failed reports whether a reply says that the request was not carried out.
func failed(reply string) bool { return strings.HasPrefix(reply, "error ") }

// gives reports whether a request gives back what a client has got: it deletes the key.
func gives(request string) bool {
	args := strings.Fields(request)
	if len(args) > 2 && strings.HasPrefix(args[0], "EVAL") {
		return args[1] == "release"
	}
	return len(args) > 0 && slices.Contains([]string{"DEL", "UNLINK", "GETDEL", "DELEX"}, args[0])
}

// renews reports whether a request gives a key a new end, and by nothing but the key's name.
func renews(request string) bool {
	args := strings.Fields(request)
	return len(args) > 2 && slices.Contains([]string{"EXPIRE", "PEXPIRE", "EXPIREAT", "PEXPIREAT"}, args[0])
}
