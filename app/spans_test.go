package app

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"sync"
	"testing"
	"time"

	common "go.opentelemetry.io/proto/otlp/common/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding"
	_ "google.golang.org/grpc/encoding/gzip" // registers it
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"locktorture/timeline"
)

// spanStage is a stage whose job payout is seen by spans, and its history.
func spanStage(t *testing.T) (*stage, *told) {
	t.Helper()
	h := newTold()
	f := &File{Jobs: []Job{{Job: timeline.Job{Name: "payout"}, Span: regexp.MustCompile(`^pay order=(?P<key>\d+)`)}}}
	return &stage{file: f, now: h.now, host: newHostClock(h.now), book: newBook(h.note)}, h
}

// export is an export of one span, with an id of its own.
func export(id byte, key int, from, to time.Time) *trace.TracesData {
	return &trace.TracesData{ResourceSpans: []*trace.ResourceSpans{{ScopeSpans: []*trace.ScopeSpans{{Spans: []*trace.Span{
		{TraceId: bytes.Repeat([]byte{1}, 16), SpanId: bytes.Repeat([]byte{id}, 8), Name: "startup", StartTimeUnixNano: 1, EndTimeUnixNano: 2},
		{
			TraceId: bytes.Repeat([]byte{id}, 16), SpanId: bytes.Repeat([]byte{id}, 8), Name: "pay",
			Attributes:        []*common.KeyValue{{Key: "order", Value: &common.AnyValue{Value: &common.AnyValue_IntValue{IntValue: int64(key)}}}},
			StartTimeUnixNano: uint64(from.UnixNano()), EndTimeUnixNano: uint64(to.UnixNano()),
		},
	}}}}}}
}

// send sends an export over HTTP.
func send(t *testing.T, url, kind string, body []byte, packed bool) int {
	t.Helper()
	if packed {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = z.Write(body) // into memory
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		body = b.Bytes()
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", kind)
	if packed {
		r.Header.Set("Content-Encoding", "gzip")
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode
}

// TestExports: spans come over HTTP as protobuf and as JSON, and over gRPC, packed or not. One that
// is sent again counts once, and what is no export is refused.
func TestExports(t *testing.T) {
	s, h := spanStage(t)
	c, err := s.collect(1, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	url := "http://" + c.addr + "/v1/traces"
	now := time.Now()
	for i, packed := range []bool{false, true} {
		binary, err := proto.Marshal(export(byte(1+i), 1+i, now, now))
		if err != nil {
			t.Fatal(err)
		}
		text, err := protojson.Marshal(export(byte(3+i), 3+i, now, now))
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if got := send(t, url, "application/x-protobuf", binary, packed); got != http.StatusOK {
				t.Errorf("protobuf: %d", got)
			}
			if got := send(t, url, "application/json", text, packed); got != http.StatusOK {
				t.Errorf("JSON: %d", got)
			}
		}
	}
	const asSDK = `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174","name":"pay","kind":2,"new":1,
"startTimeUnixNano":"1544712660000000000","endTimeUnixNano":"1544712661000000000","attributes":[{"key":"order","value":{"intValue":"7"}}]}]}]}]}`
	if got := send(t, url, "application/json", []byte(asSDK), false); got != http.StatusOK {
		t.Errorf("JSON of an SDK: %d", got)
	}
	if got := send(t, url, "application/x-protobuf", []byte("what?"), false); got != http.StatusBadRequest {
		t.Errorf("no export: %d", got)
	}
	overGRPC(t, c.addr, export(5, 5, now, now))
	overGRPC(t, c.addr, export(6, 6, now, now), grpc.UseCompressor("gzip"))
	keys := map[string]int{}
	for _, op := range h.ops {
		keys[op.Key]++
	}
	for key := range 7 {
		if keys[fmt.Sprint(key+1)] != 2 {
			t.Errorf("key %d: %d entries, not a begin and an end", key+1, keys[fmt.Sprint(key+1)])
		}
	}
}

// overGRPC sends an export with the client of gRPC.
func overGRPC(t *testing.T, addr string, data proto.Message, o ...grpc.CallOption) {
	t.Helper()
	if encoding.GetCompressor("gzip") == nil {
		t.Fatal("gRPC does not know gzip")
	}
	conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := conn.Invoke(ctx, "/opentelemetry.proto.collector.trace.v1.TraceService/Export", data, &trace.TracesData{}, o...); err != nil {
		t.Errorf("gRPC: %v", err)
	}
}

// TestSpanClockAhead: two replicas take turns under a mutex, and the wall clock of one is 2 s ahead.
// Its spans must not look as if they had met those of the other. Without the mutex, and with clocks
// that are right, they do.
func TestSpanClockAhead(t *testing.T) {
	for _, locked := range []bool{true, false} {
		s, h := spanStage(t)
		var mutex sync.Mutex
		var both sync.WaitGroup
		for i := range 2 {
			c, err := s.collect(i+1, i)
			if err != nil {
				t.Fatal(err)
			}
			defer c.close()
			skew := time.Duration(0)
			if locked && i == 1 {
				skew = 2 * time.Second
			}
			both.Go(func() { pays(t, c.addr, i, skew, locked, &mutex) })
		}
		both.Wait()
		r := h.judge(t)
		if n := r.Counts.Anomalies["ran-together"]; locked && (n > 0 || r.Failed) || !locked && n == 0 {
			t.Errorf("locked %v: %s", locked, r.Sentence)
		}
	}
}

// pays pays orders. A replica with a wrong clock exports all its spans at once, so late that no stamp
// lies in the future.
func pays(t *testing.T, addr string, who int, skew time.Duration, locked bool, mutex *sync.Mutex) {
	var late [][]byte
	for n := range 50 - 30*who {
		if locked {
			mutex.Lock()
		}
		from := time.Now().Add(skew)
		time.Sleep(50 * time.Millisecond)
		to := time.Now().Add(skew)
		if locked {
			mutex.Unlock()
		}
		body, err := proto.Marshal(export(byte(1+who*100+n), n, from, to))
		if err != nil {
			t.Error(err)
			return
		}
		if skew > 0 {
			late = append(late, body)
		} else {
			send(t, "http://"+addr+"/v1/traces", "application/x-protobuf", body, false)
		}
		time.Sleep(10 * time.Millisecond)
	}
	time.Sleep(skew + skew/2)
	for _, body := range late {
		send(t, "http://"+addr+"/v1/traces", "application/x-protobuf", body, false)
	}
}
