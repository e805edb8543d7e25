package nemesis

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"sync"
)

// third is for servers that close every connection without TLS. It is the hello of a TLS
// client, which such a server answers with a hello or an alert.
var third = sync.OnceValue(func() string {
	client, server := net.Pipe()
	defer server.Close()
	go func() {
		defer client.Close()
		// The handshake always fails, because nobody answers it. No certificate is verified.
		_ = tls.Client(client, &tls.Config{InsecureSkipVerify: true}).Handshake()
	}()
	hello := make([]byte, 1<<14) // bound on a record
	n, err := server.Read(hello)
	if err != nil && !errors.Is(err, io.EOF) {
		return ""
	}
	return string(hello[:n])
})
