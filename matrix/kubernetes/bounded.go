package kubernetes

import (
	"fmt"
	"io"
	"net/http"
)

// mostAnswer bounds one answer of the API server, in bytes. A list of all pods of a matrix, and
// the log of a pod with a run directory in it, are far below.
const mostAnswer = 256 << 20

// A boundedTransport ends an answer that is longer than most: client-go would hold all of it in
// memory.
type boundedTransport struct {
	http.RoundTripper
	most int64
}

func (t boundedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := t.RoundTripper.RoundTrip(r)
	if err == nil && answer.StatusCode != http.StatusSwitchingProtocols {
		answer.Body = &boundedBody{answer.Body, t.most, t.most}
	}
	return answer, err
}

type boundedBody struct {
	io.ReadCloser
	most, left int64
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("the API server's answer is longer than %d bytes", b.most)
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}
