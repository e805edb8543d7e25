package blank_test

import (
	"fmt"
	"strings"
	"testing"

	"locktorture/wire/blank"
)

func resp(args ...string) string {
	out := fmt.Sprintf("*%d\r\n", len(args))
	for _, a := range args {
		out += fmt.Sprintf("$%d\r\n%s\r\n", len(a), a)
	}
	return out
}

// blanked sends data in pieces of so many bytes.
func blanked(protocol string, reply bool, data string, piece int) string {
	b, out := blank.For(protocol), ""
	for len(data) > 0 {
		n := min(piece, len(data))
		out += string(b.Blank(reply, []byte(data[:n])))
		data = data[n:]
	}
	return out
}

// TestRedis: no argument that is a secret is told, everything else is.
func TestRedis(t *testing.T) {
	const secret = "pass w*rd\r\n$3"
	hidden := strings.Repeat("*", len(secret))
	for name, tt := range map[string]struct{ said, want string }{
		"AUTH":               {resp("AUTH", secret), resp("AUTH", hidden)},
		"AUTH with a user":   {resp("auth", "user", secret), resp("auth", "****", hidden)},
		"what follows":       {resp("AUTH", secret) + resp("SET", "k", "v"), resp("AUTH", hidden) + resp("SET", "k", "v")},
		"HELLO":              {resp("HELLO", "3", "auth", "user", secret, "SETNAME", "x"), resp("HELLO", "3", "auth", "****", hidden, "*******", "*")},
		"HELLO without":      {resp("HELLO", "3", "SETNAME", "x"), resp("HELLO", "3", "SETNAME", "x")},
		"CONFIG SET":         {resp("CONFIG", "SET", "requirepass", secret), resp("CONFIG", "SET", "requirepass", hidden)},
		"ACL SETUSER":        {resp("ACL", "SETUSER", "u", ">"+secret), resp("ACL", "SETUSER", "u", "*"+hidden)},
		"MIGRATE":            {resp("MIGRATE", "h", "1", "k", "0", "9", "AUTH", secret), resp("MIGRATE", "h", "1", "k", "0", "9", "AUTH", hidden)},
		"inline":             {"auth pass\r\nSET k v\r\n", "auth ****\r\nSET k v\r\n"},
		"no command at all":  {"\x01pass\nSET k v\r\n", strings.Repeat("*", 15)}, // who knows where the next one begins
		"other commands":     {resp("SET", "AUTH", "v") + resp("EVAL", "AUTH", "0"), resp("SET", "AUTH", "v") + resp("EVAL", "AUTH", "0")},
		"an empty argument":  {resp("AUTH", "", secret), resp("AUTH", "", hidden)},
		"long other command": {resp(strings.Repeat("x", 100), "v"), resp(strings.Repeat("x", 100), "v")},
	} {
		for _, piece := range []int{1, 2, 7, 1000} {
			want := tt.want
			if got := blanked("redis", false, tt.said, piece); strings.TrimRight(got, "\r\n*") != strings.TrimRight(want, "\r\n*") || len(got) != len(tt.said) {
				t.Errorf("%s, %d bytes at a time:\n got %q\nwant %q", name, piece, got, want)
			}
		}
	}
}

// TestUnknown: of a protocol that is not known nothing is told.
func TestUnknown(t *testing.T) {
	if got := blanked("gopher", false, "pass", 2); got != "****" {
		t.Errorf("got %q", got)
	}
	if blank.For("") != nil {
		t.Error("what has no protocol has secrets")
	}
}

// FuzzRedis: however a command with a secret is cut, and whatever stands before it in whole
// commands, it is not told.
func FuzzRedis(f *testing.F) {
	f.Add("k", "v", uint8(3))
	f.Fuzz(func(t *testing.T, key, value string, piece uint8) {
		const secret = "0a1b2c3d4e5f"
		if strings.Contains(key+value, secret) {
			return
		}
		said := resp("SET", key, value) + resp("AUTH", secret) + resp("HELLO", "3", "AUTH", "u", secret)
		if got := blanked("redis", false, said, int(piece)+1); strings.Contains(got, secret) {
			t.Errorf("%q", got)
		}
	})
}
