package app

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	common "go.opentelemetry.io/proto/otlp/common/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"locktorture/history"
)

// longestExport bounds one export of spans, in bytes.
const longestExport = 16 << 20

// A hostClock compares the wall clock of this machine with the clock of the history.
type hostClock struct {
	now  func() int64
	wall func() int64 // ns since 1970
	zero int64        // the wall clock at time 0 of the history
}

// moved bounds the difference between the two clocks that is not considered a jump.
const moved = int64(2 * time.Millisecond)

func newHostClock(now func() int64) hostClock {
	c := hostClock{now: now, wall: func() int64 { return time.Now().UnixNano() }}
	c.zero = c.offset()
	return c
}

// offset returns the lead of the wall clock over the history's clock. It uses the quickest of three
// readings, so that a stall of this goroutine does not falsify it.
func (c hostClock) offset() int64 {
	best, took := int64(0), int64(-1)
	for range 3 {
		before := c.now()
		wall := c.wall()
		after := c.now()
		if took < 0 || after-before < took {
			best, took = wall-(before+after)/2, after-before
		}
	}
	return best
}

// stamp returns the time of the history at which a clock that agrees with the machine's shows wall.
// It returns Never if the machine's clock has jumped.
func (c hostClock) stamp(wall uint64) int64 {
	if d := c.offset() - c.zero; d > moved || d < -moved {
		return history.Never
	}
	return int64(wall) - c.zero
}

// A collector receives the spans of one process, or of all processes of a container, at an address of its own, because a gRPC client has
// no path that could identify it.
type collector struct {
	stage   *stage
	client  int
	process func() int
	began   int64 // no span of the process can be older
	addr    string
	server  *http.Server

	mu   sync.Mutex
	seen map[string]bool // ids, because an export may be repeated
}

// collect listens for the spans of a process that will be started.
func (s *stage) collect(client, process int) (*collector, error) {
	return s.collectAt("127.0.0.1", client, func() int { return process })
}

// collectAt listens on an address of this machine.
func (s *stage) collectAt(host string, client int, process func() int) (*collector, error) {
	l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return nil, fmt.Errorf("listen for spans: %w", err)
	}
	c := &collector{stage: s, client: client, process: process, began: max(s.now(), 1), addr: l.Addr().String(), seen: map[string]bool{}}
	c.server = &http.Server{Handler: c, ReadHeaderTimeout: 10 * time.Second, Protocols: &http.Protocols{}}
	c.server.Protocols.SetHTTP1(true)
	c.server.Protocols.SetUnencryptedHTTP2(true)
	go func() { _ = c.server.Serve(l) }() // it ends with close
	return c, nil
}

func (c *collector) close() {
	if c != nil {
		_ = c.server.Close() // nobody waits for an answer
	}
}

// env returns the variables that an OpenTelemetry SDK reads.
func (c *collector) env() []string {
	if c == nil {
		return nil
	}
	return []string{varSpans + "=http://" + c.addr, "OTEL_TRACES_SAMPLER=always_on", "OTEL_BSP_SCHEDULE_DELAY=100"}
}

// ServeHTTP implements http.Handler for OTLP over HTTP and over gRPC. It accepts logs and metrics
// without reading them.
func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, longestExport+1))
	if err == nil && len(body) > longestExport {
		err = fmt.Errorf("an export is longer than %d bytes", longestExport)
	}
	kind := r.Header.Get("Content-Type")
	overGRPC := strings.HasPrefix(kind, "application/grpc")
	packed := r.Header.Get("Content-Encoding") == "gzip"
	if overGRPC && err == nil {
		body, packed, err = unframed(body)
	}
	if packed && err == nil {
		body, err = unpacked(body)
	}
	if err == nil && (strings.HasSuffix(r.URL.Path, "/v1/traces") || strings.HasSuffix(r.URL.Path, ".TraceService/Export")) {
		err = c.take(body, strings.HasPrefix(kind, "application/json"))
	}
	w.Header().Set("Content-Type", kind)
	switch {
	case overGRPC:
		answerGRPC(w, err)
	case err != nil:
		http.Error(w, "torture: "+err.Error(), http.StatusBadRequest)
	case strings.HasPrefix(kind, "application/json"):
		_, _ = io.WriteString(w, "{}") // a client that has disconnected needs none
	}
}

// answerGRPC sends an empty answer, or an error that must not be retried.
func answerGRPC(w http.ResponseWriter, err error) {
	w.WriteHeader(http.StatusOK)
	w.Header().Set(http.TrailerPrefix+"Grpc-Status", "0")
	if err != nil {
		w.Header().Set(http.TrailerPrefix+"Grpc-Status", "3")
		w.Header().Set(http.TrailerPrefix+"Grpc-Message", "torture: "+err.Error())
		return
	}
	_, _ = w.Write(make([]byte, prefix)) // a client that has disconnected needs none
}

// prefix is the length of the header of a gRPC message: a flag for compression, and the length.
const prefix = 5

// unframed returns the single message in a gRPC request.
func unframed(body []byte) (message []byte, packed bool, err error) {
	if len(body) < prefix || int(binary.BigEndian.Uint32(body[1:])) != len(body)-prefix {
		return nil, false, errors.New("a request does not have exactly one complete message")
	}
	return body[prefix:], body[0] == 1, nil
}

func unpacked(data []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	data, err = io.ReadAll(io.LimitReader(z, longestExport+1))
	if err == nil && len(data) > longestExport {
		err = fmt.Errorf("an export is longer than %d bytes", longestExport)
	}
	return data, err
}

// take records the spans of an export.
func (c *collector) take(body []byte, isJSON bool) error {
	var data trace.TracesData // on the wire it equals an export request
	var err error
	if isJSON {
		err = protojson.UnmarshalOptions{DiscardUnknown: true}.Unmarshal(body, &data)
	} else {
		err = proto.Unmarshal(body, &data)
	}
	if err != nil {
		return err
	}
	for _, resource := range data.ResourceSpans {
		for _, scope := range resource.ScopeSpans {
			for _, span := range scope.Spans {
				c.span(span)
			}
		}
	}
	return nil
}

// span records a span of a job.
func (c *collector) span(span *trace.Span) {
	id := string(span.TraceId) + string(span.SpanId)
	text := spanText(span)
	for _, j := range c.stage.file.Jobs {
		if j.Span == nil {
			continue
		}
		s, ok := match(j.Span, text)
		if !ok || !c.fresh(j.Name+" "+id) {
			continue
		}
		s.client, s.process, s.job, s.way, s.began = c.client, c.process(), j.Name, history.BySpan, c.began
		failed := ""
		if span.GetStatus().GetCode() == trace.Status_STATUS_CODE_ERROR {
			failed = "the span has the status error: " + short(span.Status.Message)
		}
		c.stage.book.span(s, c.stage.host.stamp(span.StartTimeUnixNano), c.stage.host.stamp(span.EndTimeUnixNano), failed)
	}
}

func (c *collector) fresh(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.seen[id]
	c.seen[id] = true
	return !known
}

// spanText returns the text that patterns match: the name, and the attributes as name=value.
func spanText(s *trace.Span) string {
	var b strings.Builder
	b.WriteString(s.Name)
	for _, a := range s.Attributes {
		fmt.Fprintf(&b, " %s=%s", a.Key, attribute(a.Value))
	}
	return b.String()
}

func attribute(v *common.AnyValue) string {
	switch x := v.GetValue().(type) {
	case *common.AnyValue_StringValue:
		return x.StringValue
	case *common.AnyValue_IntValue:
		return fmt.Sprint(x.IntValue)
	case *common.AnyValue_BoolValue:
		return fmt.Sprint(x.BoolValue)
	case *common.AnyValue_DoubleValue:
		return fmt.Sprint(x.DoubleValue)
	}
	return v.String()
}

// spans reports whether a job is observed by spans.
func (f *File) spans() bool {
	for _, j := range f.Jobs {
		if j.Span != nil {
			return true
		}
	}
	return false
}
