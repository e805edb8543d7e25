package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
)

// A server is a connection to Redis.
type server struct {
	conn net.Conn
	in   *bufio.Reader
}

func dial(addr string) (*server, error) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	return &server{c, bufio.NewReader(c)}, nil
}

// do sends a command and returns its reply, "" for nil.
func (s *server) do(words ...string) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "*%d\r\n", len(words))
	for _, w := range words {
		fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(w), w)
	}
	if _, err := io.WriteString(s.conn, b.String()); err != nil {
		return "", err
	}
	line, err := s.in.ReadString('\n')
	if err != nil {
		return "", err
	}
	kind, text := line[0], strings.TrimSpace(line[1:])
	switch kind {
	case '-':
		return "", fmt.Errorf("%s: %s", words[0], text)
	case '$':
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return "", err
		}
		body := make([]byte, n+2)
		_, err = io.ReadFull(s.in, body)
		return string(body[:n]), err
	}
	return text, nil
}
