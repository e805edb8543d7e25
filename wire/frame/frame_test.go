package frame_test

import (
	"errors"
	"testing"

	"locktorture/wire"
	"locktorture/wire/frame"
)

// TestLonger: of each protocol a message has its end, lacks bytes without its last one, and is none
// when it says that it is longer than any may be.
func TestLonger(t *testing.T) {
	for name, c := range map[string]struct {
		size       func(b []byte) (int, error)
		whole, not string
	}{
		"redis":     {frame.Redis, "*1\r\n$4\r\nPING\r\n", "*1\r\n$999999999999\r\n"},
		"postgres":  {func(b []byte) (int, error) { return frame.Postgres(b, 1) }, "Q\x00\x00\x00\x05;", "Q\x7f\x00\x00\x00;"},
		"mariadb":   {frame.MariaDB, "\x01\x00\x00\x00x", "\x00\x00\x7f\x00x"},
		"zookeeper": {frame.ZooKeeper, "\x00\x00\x00\x0812345678", "\x7f\x00\x00\x0812345678"},
		"etcd":      {frame.HTTP2, "\x00\x00\x01\x01\x00\x00\x00\x00\x01h\x00\x00\x01\x09\x04\x00\x00\x00\x01h", "\x7f\x00\x01\x00\x00\x00\x00\x00\x01"},
	} {
		if n, err := c.size([]byte(c.whole + "rest")); n != len(c.whole) || err != nil {
			t.Errorf("%s: %d bytes, %v, want %d", name, n, err, len(c.whole))
		}
		if _, err := c.size([]byte(c.whole[:len(c.whole)-1])); !errors.Is(err, wire.ErrShort) {
			t.Errorf("%s without its last byte: %v", name, err)
		}
		if _, err := c.size([]byte(c.not)); err == nil || errors.Is(err, wire.ErrShort) {
			t.Errorf("%s: %q was waited for: %v", name, c.not, err)
		}
	}
}
