package resp

import "testing"

func TestReply(t *testing.T) {
	for text, want := range map[string]int{
		"+OK\r\n": 5, "-ERR no\r\n": 9, ":12\r\n": 5, "$-1\r\n": 5, "$0\r\n\r\n": 6, "$2\r\nab\r\nrest": 8,
		"*2\r\n:1\r\n$1\r\na\r\n": 15, "*-1\r\n": 5, "*0\r\n": 4, "%1\r\n+a\r\n:1\r\n": 12, "_\r\n": 3, ">1\r\n+x\r\n": 8, "#t\r\n": 4,
	} {
		if n, push, err := Reply([]byte(text)); n != want || err != nil || push != (text[0] == '>') {
			t.Errorf("%q: %d, %v, %v, want %d", text, n, push, err, want)
		}
	}
	for _, text := range []string{"", "+O", "$2\r\nab", "*2\r\n:1\r\n", "%1\r\n+a\r\n", "$"} {
		if _, _, err := Reply([]byte(text)); err != ErrShort {
			t.Errorf("%q: %v, want that it is short", text, err)
		}
	}
	for _, text := range []string{"x\r\n", "$a\r\n", "\r\n", "*a\r\n"} {
		if n, _, err := Reply([]byte(text)); err == nil || err == ErrShort {
			t.Errorf("%q was taken: %d, %v", text, n, err)
		}
	}
}

func TestCommand(t *testing.T) {
	b := Append(Append(nil, "SET", "k", "a\r\nb"), "PING")
	n, words, err := Command(b)
	if err != nil || len(words) != 3 || string(words[2]) != "a\r\nb" {
		t.Fatalf("%q, %v", words, err)
	}
	if _, words, err = Command(b[n:]); err != nil || len(words) != 1 || string(words[0]) != "PING" {
		t.Errorf("%q, %v", words, err)
	}
	for i := range n {
		if _, _, err := Command(b[:i]); err != ErrShort {
			t.Errorf("%q: %v", b[:i], err)
		}
	}
	if _, words, err := Command([]byte("GET k\r\n")); err != nil || len(words) != 2 {
		t.Errorf("inline: %q, %v", words, err)
	}
	if _, _, err := Command([]byte("*1\r\n$-1\r\n")); err == nil || err == ErrShort {
		t.Errorf("a word of -1 bytes: %v", err)
	}
}

// FuzzReply: a value is as long as its elements say, whether it is only measured or read as well, and
// what is short becomes neither longer nor wrong by what follows.
func FuzzReply(f *testing.F) {
	f.Add([]byte("*2\r\n%1\r\n+a\r\n_\r\n$-1\r\n"), uint8(7))
	f.Add([]byte("\x16\x03"), uint8(1))
	f.Fuzz(func(t *testing.T, b []byte, cut uint8) {
		n, push, err := Reply(b)
		v, m, parsed := Parse(b)
		if n != m || (err == nil) != (parsed == nil) || err == nil && push != (v.Kind == '>') || n > len(b) {
			t.Fatalf("%d, %v, %v and %d, %q, %v", n, push, err, m, v.Kind, parsed)
		}
		if err != nil || n == 0 {
			return
		}
		if _, _, err := Reply(b[:min(int(cut), n-1)]); err != ErrShort {
			t.Fatalf("the first %d of %d bytes: %v", min(int(cut), n-1), n, err)
		}
	})
}
