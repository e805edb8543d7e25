package serve_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"locktorture/report/serve"
)

// A reader who stops in the middle of a request, or says nothing after it, is let go.
func TestSlowReadersAreLetGo(t *testing.T) {
	dir := runs(t)
	for why, request := range map[string]string{
		"says nothing":                 "",
		"stops in the first line":      "GET /runs/",
		"stops in the headers":         "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ",
		"stops in the body":            "POST /check HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\ncheck=",
		"says nothing after a chunk":   "POST /check HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n5\r\ncheck\r\n",
		"says nothing after a request": "GET /no HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
	} {
		t.Run(why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ours, theirs := net.Pipe()
				l := &oneConn{c: theirs, end: make(chan struct{})}
				server := serve.NewServer(dir, func(string) error { return nil })
				go server.Serve(l)
				go func() { _, _ = io.WriteString(ours, request) }()
				start := time.Now()
				_, _ = io.Copy(io.Discard, ours) // until the server hangs up
				if took := time.Since(start); took > 2*time.Minute {
					t.Errorf("it waited for %v", took)
				}
				ours.Close()
				if err := server.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// A oneConn is a listener with one connection.
type oneConn struct {
	c    net.Conn
	once sync.Once
	end  chan struct{}
}

func (l *oneConn) Accept() (c net.Conn, err error) {
	l.once.Do(func() { c = l.c })
	if c == nil {
		<-l.end
		return nil, http.ErrServerClosed
	}
	return c, nil
}

func (l *oneConn) Addr() net.Addr { return l.c.LocalAddr() }

func (l *oneConn) Close() error {
	select {
	case <-l.end:
		return errors.New("closed twice")
	default:
		close(l.end)
	}
	return nil
}
