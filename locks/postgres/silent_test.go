package postgres

import (
	"net"
	"testing"
	"time"
)

// A look does not wait, not even for somebody who reads: the library does so after a slow
// write.
func TestSilent(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	here, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer here.Close()
	there, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	look := func(want bool, what string) {
		t.Helper()
		for begin := time.Now(); silent(here) != want; time.Sleep(time.Millisecond) {
			if time.Since(begin) > 10*time.Second {
				t.Fatalf("silent is %v: %s", !want, what)
			}
		}
	}
	look(true, "nothing was sent")
	read := make(chan error, 1)
	go func() {
		_, err := here.Read(make([]byte, 1))
		read <- err
	}()
	for range 100 { // some of them while the other one reads
		look(true, "nothing was sent, and somebody reads")
		time.Sleep(100 * time.Microsecond)
	}
	if _, err := there.Write([]byte("ab")); err != nil {
		t.Fatal(err)
	}
	if err := <-read; err != nil {
		t.Fatal(err)
	}
	look(false, "a byte is there")
	if _, err := here.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	look(true, "all was read")
	there.Close()
	look(false, "the other side has closed")
}
