package app

import (
	"regexp"
	"slices"
	"strings"

	"locktorture/wire"
)

// An outcome is what a message of a server says of an effect.
type outcome int

const (
	nothing  outcome = iota // another message will
	done                    // it was done
	failed                  // it was not done
	unclear                 // it may have been done
	prepared                // it was done in a transaction, which may still be rolled back
)

// An answer is what a message of a server says.
type answer struct {
	says outcome // of the effect that it answers
	no   bool    // nothing was changed, as far as the protocol says
	ends outcome // of the effects that were prepared on its connection

	part  bool // a request of several statements may get more answers like this one
	whole bool // this is the last answer to its request
}

// answers returns how to read the messages of servers, by the protocols on which effects can be observed.
func answers() map[string]func(wire.Message) answer {
	return map[string]func(wire.Message) answer{
		"redis": redisAnswer, "postgres": postgresAnswer, "mariadb": mariadbAnswer, "etcd": etcdAnswer,
		"memcached": memcachedAnswer, "consul": httpAnswer, "s3": httpAnswer, "http": httpAnswer,
	}
}

// redisAnswer reads a reply of Redis. Some commands return the number of changes: 0 means no
// effect. SET with GET and GETSET return the old value: nil says nothing about the effect.
func redisAnswer(m wire.Message) answer {
	words := strings.Fields(strings.ToUpper(m.Of))
	command, options := "", []string(nil)
	if len(words) > 0 {
		command, options = words[0], words[min(3, len(words)):]
	}
	counts := slices.Contains([]string{"SETNX", "MSETNX", "HSETNX", "RENAMENX", "LPUSHX", "RPUSHX", "SADD", "SREM", "DEL", "UNLINK", "HDEL", "ZREM"}, command)
	before := command == "GETSET" || command == "SET" && slices.Contains(options, "GET")
	switch {
	case m.Name == "QUEUED":
		return answer{}
	case strings.HasPrefix(m.Name, "error "):
		return answer{says: failed}
	case before && (slices.Contains(options, "NX") || slices.Contains(options, "XX")):
		return answer{says: unclear}
	case before:
		return answer{says: done}
	}
	return answer{says: done, no: m.Name == "nil" || counts && m.Name == "0"}
}

// postgresAnswer: a transaction ends with the next ReadyForQuery outside of one. After a rollback, also
// to a savepoint, nothing is known of what was prepared. The same holds after an error: no failed
// transaction is reported after a commit that fails, or after one of several statements fails.
func postgresAnswer(m wire.Message) answer {
	tag := strings.Trim(m.Text, `"`)
	switch word, _, _ := strings.Cut(tag, " "); {
	case m.Raw: // it may hide a failure
		return answer{ends: unclear}
	case m.Name == "ReadyForQuery" && m.Text == "idle":
		return answer{ends: done, whole: true}
	case m.Name == "ReadyForQuery" && m.Text == "in a failed transaction":
		return answer{ends: unclear, whole: true}
	case m.Name == "ReadyForQuery":
		return answer{whole: true}
	case m.Name == "ErrorResponse":
		return answer{says: failed, ends: unclear}
	case m.Name != "CommandComplete":
		return answer{}
	case word == "ROLLBACK", tag == "PREPARE TRANSACTION":
		return answer{ends: unclear}
	case slices.Contains([]string{"BEGIN", "START", "SAVEPOINT", "RELEASE", "SET"}, word): // of another statement of the request
		return answer{}
	}
	return answer{says: prepared, no: strings.HasSuffix(tag, " 0"), part: tag != "COMMIT"}
}

// rollback matches a ROLLBACK statement anywhere in a request, but not in data. It also matches the
// requests that reset a connection, because they roll back implicitly.
var rollback = regexp.MustCompile(`(?i)(^\w+ |;)\s*(/\*.*?\*/\s*)*(xa\s+)?rollback\b|^(resetConnection|login)$`)

// commit matches a COMMIT statement anywhere in a request, but not in data.
var commit = regexp.MustCompile(`(?i)(^\w+ |;)\s*(/\*.*?\*/\s*)*(xa\s+)?commit\b`)

// mariadbAnswer reads a reply of MariaDB. Every result says whether a transaction is open. An error
// does not, although some errors end the transaction, as every failed commit does.
func mariadbAnswer(m wire.Message) answer {
	broken := m.Name == "rows" && strings.HasPrefix(m.Text, " ") // an error follows some rows, or none
	result := m.Name == "OK" || m.Name == "rows" && !broken
	switch code, _, _ := strings.Cut(m.Text, " "); {
	case m.Raw: // it may hide a failure
		return answer{ends: unclear}
	case m.Name == "error" && (slices.Contains([]string{"1020", "1180", "1205", "1213", "1614", "3101"}, code) || commit.MatchString(m.Of)):
		return answer{says: failed, ends: unclear}
	case m.Name == "error":
		return answer{says: failed}
	case broken:
		return answer{ends: unclear}
	case !result, strings.HasPrefix(m.Of, "prepare "):
		return answer{}
	case rollback.MatchString(m.Of):
		return answer{ends: unclear}
	case m.More && m.Open: // any of the results may be about the effect
		return answer{says: unclear}
	case m.More:
		return answer{says: unclear, ends: done}
	case m.Open:
		return answer{says: prepared, no: strings.HasPrefix(m.Text, "0 rows changed")}
	}
	return answer{says: done, no: strings.HasPrefix(m.Text, "0 rows changed"), ends: done}
}

// etcdAnswer reads gRPC and the HTTP gateway. A transaction whose comparison failed did nothing. An
// error that does not come from the store, such as a time-out, leaves open what happened.
func etcdAnswer(m wire.Message) answer {
	code, _, _ := strings.Cut(m.Text, " ")
	a := answer{says: done}
	switch {
	case m.Control:
		return answer{}
	case m.Name == "error" && slices.Contains([]string{"1", "2", "4", "10", "13", "14", "15"}, code), m.Name == "cancel":
		return answer{says: unclear}
	case m.Name == "error":
		return answer{says: failed}
	case strings.HasPrefix(m.Of, "POST /"):
		a = httpAnswer(m)
	}
	call, _, _ := strings.Cut(strings.TrimPrefix(m.Of, "POST /"), " ")
	for calls, word := range map[string]string{"Txn /kv/txn": "succeeded=true", "DeleteRange /kv/deleterange": "deleted=", "LeaseKeepAlive": "TTL="} {
		for suffix := range strings.FieldsSeq(calls) {
			a.no = a.no || strings.HasSuffix("/"+call, suffix) && !strings.Contains(m.Text, word)
		}
	}
	return a
}

func memcachedAnswer(m wire.Message) answer {
	word, _, _ := strings.Cut(m.Name, " ")
	if strings.HasSuffix(word, "ERROR") {
		return answer{says: failed}
	}
	return answer{says: done, no: slices.Contains([]string{"NOT_STORED", "EXISTS", "NOT_FOUND", "END", "NS", "EX", "NF", "EN"}, word)}
}

// httpAnswer reads the status of a reply. Consul refuses a write with "false", which an unknown encoding
// may hide.
func httpAnswer(m wire.Message) answer {
	switch {
	case strings.HasPrefix(m.Name, "1"), m.Raw:
		return answer{}
	case strings.HasPrefix(m.Name, "2") && m.Veiled:
		return answer{says: unclear}
	case strings.HasPrefix(m.Name, "2"):
		return answer{says: done, no: m.Text == "false"}
	case strings.HasPrefix(m.Name, "5"), strings.HasPrefix(m.Name, "408"):
		return answer{says: unclear}
	}
	return answer{says: failed}
}
