package control

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A localSession is one connection to a LocalServer.
type localSession struct {
	conn net.Conn

	mu sync.Mutex
	// pending maps the number of a request to the channel that receives the words of its
	// answer.
	pending map[string]chan []string
	broken  bool
}

// newLocalSession starts to read the replies of a connection.
func newLocalSession(conn net.Conn) *localSession {
	s := &localSession{conn: conn, pending: map[string]chan []string{}}
	go s.read()
	return s
}

// alive reports whether requests can still be answered on the connection.
func (s *localSession) alive() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.broken
}

// read distributes answers to the waiting calls. When the connection ends, it fails all of them
// with an unknown outcome.
func (s *localSession) read() {
	sc := bufio.NewScanner(s.conn)
	for sc.Scan() {
		words := strings.Fields(sc.Text())
		if len(words) < 2 {
			break
		}
		s.mu.Lock()
		if c := s.pending[words[0]]; c != nil {
			delete(s.pending, words[0])
			c <- words[1:]
		}
		s.mu.Unlock()
	}
	s.conn.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = true
	for id, c := range s.pending {
		delete(s.pending, id)
		close(c)
	}
}

// errEnded leaves the outcome of a request unknown: the server frees the grants of this connection,
// but at an unknown time.
var errEnded = errors.New("connection to the local lock server ended")

// call sends a request and returns the words of its answer, at least one. When ctx ends and
// patience is not 0, call cancels the request and waits up to patience for its answer, which
// may still be a grant.
func (s *localSession) call(ctx context.Context, patience time.Duration, n uint64, op string, args ...string) ([]string, error) {
	id := strconv.FormatUint(n, 10)
	c := make(chan []string, 1)
	s.mu.Lock()
	if s.broken {
		s.mu.Unlock()
		return nil, errEnded
	}
	s.pending[id] = c
	err := s.send(op, id, args...)
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	select {
	case words, ok := <-c:
		return answer(words, ok)
	case <-ctx.Done():
	}
	if patience <= 0 {
		return nil, fmt.Errorf("no answer: %w", ctx.Err())
	}
	s.mu.Lock()
	err = s.send("cancel", id)
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	t := time.NewTimer(patience)
	defer t.Stop()
	select {
	case words, ok := <-c:
		return answer(words, ok)
	case <-t.C:
		// Closing the connection frees every grant that was or will be made on it.
		s.conn.Close()
		return nil, fmt.Errorf("cancel was not answered: %w", ctx.Err())
	}
}

// answer returns errEnded if the connection ended before the answer came.
func answer(words []string, ok bool) ([]string, error) {
	if !ok {
		return nil, errEnded
	}
	return words, nil
}

// send writes one request. Words are separated by spaces, so a caller must escape names.
func (s *localSession) send(op, id string, args ...string) error {
	line := strings.Join(append([]string{op, id}, args...), " ") + "\n"
	if _, err := s.conn.Write([]byte(line)); err != nil {
		return fmt.Errorf("send %s: %w", op, err)
	}
	return nil
}
