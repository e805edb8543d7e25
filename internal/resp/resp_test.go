package resp

import "testing"

func TestValue(t *testing.T) {
	for text, want := range map[string]int{
		"+OK\r\n": 5, "-ERR no\r\n": 9, ":12\r\n": 5, "$-1\r\n": 5, "$0\r\n\r\n": 6, "$2\r\nab\r\nrest": 8,
		"*2\r\n:1\r\n$1\r\na\r\n": 15, "*-1\r\n": 5, "*0\r\n": 4, "%1\r\n+a\r\n:1\r\n": 12, "_\r\n": 3, ">1\r\n+x\r\n": 8, "#t\r\n": 4,
	} {
		if n, push, err := Value([]byte(text)); n != want || err != nil || push != (text[0] == '>') {
			t.Errorf("%q: %d, %v, %v, want %d", text, n, push, err, want)
		}
	}
	for _, text := range []string{"", "+O", "$2\r\nab", "*2\r\n:1\r\n", "%1\r\n+a\r\n", "$"} {
		if _, _, err := Value([]byte(text)); err != ErrShort {
			t.Errorf("%q: %v, want that it is short", text, err)
		}
	}
	for _, text := range []string{"x\r\n", "$a\r\n", "\r\n", "*a\r\n"} {
		if n, _, err := Value([]byte(text)); err == nil || err == ErrShort {
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
