package server

import "testing"

func TestRenumber(t *testing.T) {
	for _, c := range [][2]string{
		{"*4\r\n$6\r\nserver\r\n$5\r\nredis\r\n$2\r\nid\r\n:481\r\n", "*4\r\n$6\r\nserver\r\n$5\r\nredis\r\n$2\r\nid\r\n:3\r\n"},
		{"%1\r\n$2\r\nid\r\n:7\r\n", "%1\r\n$2\r\nid\r\n:3\r\n"},
		{"-NOPROTO\r\n", "-NOPROTO\r\n"},
	} {
		if got := string(renumber([]byte(c[0]), 3)); got != c[1] {
			t.Errorf("%q, want %q", got, c[1])
		}
	}
}
