package nemesis

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"sync"
)

// third is for those who hang up on everything that is not TLS: the hello of a client, which
// is answered with a hello or an alert.
var third = sync.OnceValue(func() string {
	client, server := net.Pipe()
	defer server.Close()
	go func() {
		defer client.Close()
		// It never ends well: nobody answers. No certificate is looked at.
		_ = tls.Client(client, &tls.Config{InsecureSkipVerify: true}).Handshake()
	}()
	hello := make([]byte, 1<<14) // of a record at most
	n, err := server.Read(hello)
	if err != nil && !errors.Is(err, io.EOF) {
		return ""
	}
	return string(hello[:n])
})
