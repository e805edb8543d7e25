package redis

import (
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"strconv"
	"strings"
	"sync"

	"locktorture/wire"
)

// Scripts maps the SHA-1 of Lua scripts to names. A script without a name gets one when its source
// is seen: its effect on a lock, if that is clear, and the start of its first line.
type Scripts struct {
	mu    sync.Mutex
	names map[string]string
}

// NewScripts returns scripts with names for some sources.
func NewScripts(sources map[string]string) *Scripts {
	s := &Scripts{names: map[string]string{}}
	for name, source := range sources {
		s.names[sum(source)] = name
	}
	return s
}

func sum(source string) string {
	h := sha1.Sum([]byte(source))
	return hex.EncodeToString(h[:])
}

// longestTitle bounds the part of a script's first line in its name, in bytes.
const longestTitle = 40

// learn returns the name of a source.
func (s *Scripts) learn(source string) string {
	h := sum(source)
	s.mu.Lock()
	defer s.mu.Unlock()
	if name, ok := s.names[h]; ok {
		return name
	}
	title, _, _ := strings.Cut(strings.TrimLeft(source, "\n\r\t -"), "\n")
	if len(title) > longestTitle {
		title = strings.ToValidUTF8(title[:longestTitle], "") + "…"
	}
	s.names[h] = strings.TrimLeft(deed(source)+" script("+wire.Word(title)+")", " ")
	return s.names[h]
}

// Learn learns the sources in requests that a client sent together. A client sends the hash of a
// script first, and its source only after the server has refused the hash. A reader that first
// learns from the whole recording therefore knows all names.
func (s *Scripts) Learn(requests []byte) {
	if !bytes.Contains(requests, []byte("redis.")) {
		return
	}
	for len(requests) > 0 {
		args, n, err := command(requests)
		if err != nil || n == 0 {
			return
		}
		if len(args) > 1 {
			s.text(args)
		}
		requests = requests[n:]
	}
}

// name returns the name of the script with a SHA-1, or the first digits of the hash.
func (s *Scripts) name(hash string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if name, ok := s.names[strings.ToLower(hash)]; ok {
		return name
	}
	return "sha1:" + wire.Word(hash[:min(len(hash), 8)])
}

// text returns the text of a command after its name. A script is shown by its name, with its keys
// separated.
func (s *Scripts) text(args []string) string {
	rest := args[1:]
	var out []string
	switch name := strings.ToUpper(args[0]); {
	case len(rest) >= 2 && (strings.HasPrefix(name, "EVALSHA") || strings.HasPrefix(name, "EVAL")):
		if strings.HasPrefix(name, "EVALSHA") {
			out = append(out, s.name(rest[0]))
		} else {
			out = append(out, s.learn(rest[0]))
		}
		out, rest = append(out, "keys"), rest[1:]
		keys, err := strconv.Atoi(rest[0])
		if err != nil || keys < 0 || keys > len(rest)-1 {
			break
		}
		out, rest = append(append(out, words(rest[1:1+keys])...), "args"), rest[1+keys:]
	case len(rest) == 2 && name == "SCRIPT" && strings.EqualFold(rest[0], "LOAD"):
		return "LOAD " + s.learn(rest[1])
	}
	return strings.Join(append(out, words(rest)...), " ")
}

// mostWords bounds the number of arguments that are shown.
const mostWords = 40

func words(args []string) []string {
	var out []string
	for i, a := range args {
		if i == mostWords {
			return append(out, "…")
		}
		out = append(out, wire.Word(a))
	}
	return out
}
