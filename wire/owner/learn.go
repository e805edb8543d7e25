package owner

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"locktorture/history"
	"locktorture/internal/resp"
)

// Contents is a script that returns every key of a server as JSON, in no order: its name, its type,
// and its text or the fields of its hash.
const Contents = `local rows = {}
for _, key in ipairs(redis.call('KEYS', '*')) do
  local kind = redis.call('TYPE', key)['ok']
  local has = {}
  if kind == 'string' then has = {redis.call('GET', key)} end
  if kind == 'hash' then has = redis.call('HKEYS', key) end
  rows[#rows + 1] = {key = key, kind = kind, has = has}
end
return cjson.encode(rows)`

// A Learner finds the Look of a lock in a run without faults, in which no event occurs between a
// request and the calls about it.
type Learner struct {
	majority int
	servers  []map[string]value
	recent   map[int][][][]byte // by client: the last requests
	keys     map[string]*kept
	holds    map[int]bool // by client
}

// A value is the owner that a key names.
type value struct {
	text string
	hash bool
}

// A kept is the state of a key that named an owner.
type kept struct {
	hash    bool
	odd     string         // the reason why it is not the key of the lock; "": it may be
	senders map[string]int // by value
	takes   map[Take]bool
	right   int // number of grants and releases after which it was correct
}

// not records the reason why a key is not the key of the lock, unless there is one already.
func (k *kept) not(why string) { k.odd = cmp.Or(k.odd, why) }

// NewLearner returns a Learner for a lock on this number of servers.
func NewLearner(servers int) *Learner {
	l := &Learner{majority: servers/2 + 1, recent: map[int][][][]byte{}, keys: map[string]*kept{}, holds: map[int]bool{}}
	for range servers {
		l.servers = append(l.servers, map[string]value{})
	}
	return l
}

// mostRecent bounds the requests of a client that are kept. Several are needed, because a request
// queued by MULTI takes effect at EXEC.
const mostRecent = 16

// Served records a client's request to a server, numbered from 1, and the server's answer to
// Contents after it.
func (l *Learner) Served(client, server int, request, contents []byte) error {
	request = bytes.Clone(request)
	for len(request) > 0 {
		n, words, err := resp.Command(request)
		if err != nil {
			break // incomplete, so no lock sends it
		}
		l.recent[client] = append(l.recent[client], words)
		request = request[n:]
	}
	if all := l.recent[client]; len(all) > mostRecent {
		l.recent[client] = all[len(all)-mostRecent:]
	}
	now, err := l.read(contents)
	if err != nil {
		return err
	}
	was := l.servers[server-1]
	l.servers[server-1] = now
	for key, v := range now {
		if was[key] != v {
			l.changed(client, key, v)
		}
	}
	return nil
}

// read parses the answer to Contents.
func (l *Learner) read(contents []byte) (map[string]value, error) {
	var rows []struct {
		Key, Kind string
		Has       json.RawMessage
	}
	now := map[string]value{}
	if string(contents) == "{}" { // cjson's form of an empty table
		return now, nil
	}
	if err := json.Unmarshal(contents, &rows); err != nil {
		return nil, fmt.Errorf("keys of a server: %w", err)
	}
	for _, r := range rows {
		var has []string
		if json.Unmarshal(r.Has, &has) != nil || len(has) != 1 { // a list, a hash of several, …
			if k := l.keys[r.Key]; k != nil {
				k.not("it does not always name one")
			}
			continue
		}
		now[r.Key] = value{has[0], r.Kind == "hash"}
	}
	return now, nil
}

// changed records that a key now names another owner.
func (l *Learner) changed(client int, key string, v value) {
	k := l.keys[key]
	if k == nil {
		k = &kept{hash: v.hash, senders: map[string]int{}, takes: map[Take]bool{}}
		l.keys[key] = k
	}
	by, take := l.sender(client, key, v.text)
	switch before := k.senders[v.text]; {
	case by == 0:
		k.not("its value comes from no client")
	case before != 0 && before != by:
		k.not("several clients give it the same value")
	case k.hash != v.hash:
		k.not("it is a hash and a text by turns")
	}
	k.senders[v.text] = by
	if by > 0 {
		k.takes[take] = true
	}
}

// sender finds the client that requested a key with a word, and its command: the client that has
// changed the key, or another client if the lock is handed over. It returns 0 if there is none.
func (l *Learner) sender(client int, key, word string) (int, Take) {
	for _, by := range slices.Concat([]int{client}, slices.Sorted(maps.Keys(l.recent))) {
		if take, sent := l.asked(by, key, word); sent {
			return by, take
		}
	}
	return 0, Take{}
}

// asked finds the latest request of a client for a key that contained a word.
func (l *Learner) asked(client int, key, word string) (Take, bool) {
	for _, words := range slices.Backward(l.recent[client]) {
		name := called(words)
		if look := (Look{Key: key, Takes: []Take{{name, 0}}}); look.taken(words) == "" {
			continue
		}
		for i := len(words) - 1; i > 0; i-- {
			if string(words[i]) == word {
				return Take{name, i}, true
			}
		}
	}
	return Take{}, false
}

// Recorded checks the keys against an entry of the history: a key must name the client that was
// granted the lock, and no longer a client that has released it.
func (l *Learner) Recorded(op history.Op) {
	if op.Type != history.OK {
		return
	}
	switch op.F {
	case history.Acquire, history.Try:
		l.holds[op.Client] = true
	case history.Release:
		l.holds[op.Client] = false
	default:
		return
	}
	for key, k := range l.keys {
		nodes := 0
		for _, s := range l.servers {
			if v, there := s[key]; there && k.senders[v.text] == op.Client {
				nodes++
			}
		}
		switch held := nodes >= l.majority; {
		case held == l.holds[op.Client]:
			k.right++
		case held:
			k.not("it names a client that has released the lock")
		default:
			k.not("it does not name the client that was granted the lock")
		}
	}
}

// leastRight is the number of correct observations that a key needs.
const leastRight = 4

// Look returns the learned Look, or nil and the reason why there is none.
func (l *Learner) Look() (*Look, string) {
	why := "the lock keeps nothing on its servers that names a client"
	for _, key := range slices.Sorted(maps.Keys(l.keys)) {
		switch k := l.keys[key]; {
		case k.odd != "":
			why = fmt.Sprintf("no key tells who holds the lock (%s: %s)", key, k.odd)
		case k.right < leastRight:
			why = "too little happened in the run without faults"
		default:
			look := &Look{Key: key, Hash: k.hash}
			for t := range k.takes {
				look.Takes = append(look.Takes, t)
			}
			slices.SortFunc(look.Takes, func(a, b Take) int {
				return cmp.Or(cmp.Compare(a.Command, b.Command), cmp.Compare(a.Word, b.Word))
			})
			return look, ""
		}
	}
	return nil, why
}
