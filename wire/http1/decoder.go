// Package http1 decodes HTTP/1.1, the protocol of Consul and of object stores.
package http1

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"locktorture/wire"
)

const (
	longestHead = 1 << 20
	longestBody = 16 << 20 // after its decompression
)

// A Decoder decodes one connection.
type Decoder struct {
	wire.Base
	headers []string // shown headers, by their canonical names
	encoded []string // fields of JSON whose values are shown decoded from base64
	first   []string // fields of JSON that are shown before the rest, which may be cut
	methods []string // methods of requests without a reply yet: a reply to HEAD has no body
}

var _ wire.Decoder = (*Decoder)(nil)

// New returns a decoder for a connection at its start. It shows these headers of requests and
// replies, given by their canonical names.
func New(headers ...string) *Decoder { return &Decoder{headers: headers, encoded: []string{"Value"}} }

// Gateway returns a decoder for the HTTP gateway of etcd.
func Gateway() *Decoder {
	return &Decoder{encoded: []string{"key", "value", "range_end"}, first: []string{"succeeded", "deleted"}}
}

// Consul returns the headers of Consul that are relevant for locks.
func Consul() []string { return []string{"X-Consul-Index"} }

// S3 returns the headers shown for an object store: the conditions of a write, and the resulting
// version.
func S3() []string { return []string{"If-Match", "If-None-Match", "Etag"} }

// address returns the requested address in readable form.
func address(u *url.URL) string {
	if plain, err := url.PathUnescape(u.RequestURI()); err == nil {
		return plain
	}
	return u.RequestURI()
}

// shown returns the headers of a message that are shown, with their values.
func (d *Decoder) shown(h http.Header) (text string) {
	for _, name := range d.headers {
		if v := h.Get(name); v != "" {
			text += " " + strings.ToLower(strings.TrimPrefix(name, "X-Consul-")) + " " + wire.Word(v)
		}
	}
	return text
}

// Decode implements wire.Decoder.
func (d *Decoder) Decode(reply bool, data []byte) []wire.Message {
	out := d.Cut(reply, data, d.request, d.reply)
	if d.Broken() {
		d.methods = nil
	}
	return out
}

// Gap implements wire.Decoder.
func (d *Decoder) Gap() {
	d.Base.Gap()
	d.methods = nil
}

// A counted reader counts the bytes that were read, and records whether more were requested.
type counted struct {
	*bytes.Reader
	short bool
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	if errors.Is(err, io.EOF) {
		c.short = true
	}
	return n, err
}

// take reads one message. It returns the body, and the length of the whole message. read returns
// the body and its length, which is negative if it is not known.
func take(b []byte, read func(*bufio.Reader) (io.ReadCloser, int64, error)) (body []byte, n int, err error) {
	if !bytes.Contains(b, []byte("\r\n\r\n")) && !bytes.Contains(b, []byte("\n\n")) {
		if len(b) > longestHead || b[0] < 'A' || b[0] > 'Z' {
			return nil, 0, errors.New("not HTTP")
		}
		return nil, 0, wire.ErrShort
	}
	c := &counted{Reader: bytes.NewReader(b)}
	in := bufio.NewReader(c)
	r, length, err := read(in)
	switch {
	case err == nil && length > int64(c.Len()+in.Buffered()):
		return nil, 0, wire.ErrShort
	case err == nil:
		body, err = io.ReadAll(r)
	}
	if err != nil {
		if c.short && (errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF)) {
			return nil, 0, wire.ErrShort
		}
		return nil, 0, err
	}
	return body, len(b) - c.Len() - in.Buffered(), nil
}

func (d *Decoder) request(b []byte) (wire.Message, int, error) {
	var m wire.Message
	body, n, err := take(b, func(in *bufio.Reader) (io.ReadCloser, int64, error) {
		r, err := http.ReadRequest(in)
		if err != nil {
			return nil, 0, err
		}
		m.Name, m.Text = r.Method, wire.Word(address(r.URL))+d.shown(r.Header)
		return r.Body, r.ContentLength, nil
	})
	if err != nil {
		return m, 0, err
	}
	d.methods = append(d.methods, m.Name)
	if text := d.show(body); text != "" {
		m.Text += " " + text
	}
	d.Pairs.Ask(m.String())
	return m, n, nil
}

func (d *Decoder) reply(b []byte) (wire.Message, int, error) {
	var m wire.Message
	asked := &http.Request{Method: http.MethodGet}
	if len(d.methods) > 0 {
		asked.Method = d.methods[0]
	}
	interim, encoding := false, ""
	body, n, err := take(b, func(in *bufio.Reader) (io.ReadCloser, int64, error) {
		r, err := http.ReadResponse(in, asked)
		if err != nil {
			return nil, 0, err
		}
		m.Name, m.Text = r.Status, strings.TrimSpace(d.shown(r.Header))
		encoding = strings.ToLower(r.Header.Get("Content-Encoding"))
		interim = r.StatusCode < http.StatusOK && r.StatusCode != http.StatusSwitchingProtocols
		if r.ContentLength < 0 && len(r.TransferEncoding) == 0 { // the rest of the connection, shown as bytes
			return http.NoBody, 0, nil
		}
		if asked.Method == http.MethodHead {
			return http.NoBody, 0, nil
		}
		return r.Body, r.ContentLength, nil
	})
	if err != nil {
		return m, 0, err
	}
	m.Name = wire.Word(m.Name)
	m.Name = strings.Trim(m.Name, `"`)
	plain, ok := decompressed(body, encoding)
	if m.Veiled = !ok; ok {
		body = plain
	}
	if text := d.show(body); text != "" {
		m.Text = strings.TrimSpace(m.Text + " " + text)
	}
	if interim {
		m.Of = d.Pairs.Next()
		return m, n, nil
	}
	if len(d.methods) > 0 {
		d.methods = d.methods[1:]
	}
	m.Of = d.Pairs.Answered()
	return m, n, nil
}

// decompressed returns a body without its encoding. ok is false if that is not possible.
func decompressed(body []byte, encoding string) (plain []byte, ok bool) {
	switch {
	case len(body) == 0, encoding == "", encoding == "identity":
		return body, true
	case encoding != "gzip" && encoding != "x-gzip":
		return nil, false
	}
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, false
	}
	plain, err = io.ReadAll(io.LimitReader(z, longestBody+1))
	return plain, err == nil && len(plain) <= longestBody
}

// show returns a body in one line.
func (d *Decoder) show(body []byte) string {
	if len(body) == 0 {
		return ""
	}
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		return wire.Word(string(body))
	}
	d.decode(v)
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return wire.Word(string(body))
	}
	text := out.String()
	fields, _ := v.(map[string]any)
	for _, name := range d.first {
		if value, ok := fields[name]; ok {
			text = fmt.Sprintf("%s=%v %s", name, value, text)
		}
	}
	return wire.Line(text)
}

// decode decodes the fields that are encoded.
func (d *Decoder) decode(v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			d.decode(e)
		}
	case map[string]any:
		for name, e := range v {
			text, ok := e.(string)
			if !ok || !slices.Contains(d.encoded, name) {
				d.decode(e)
			} else if plain, err := base64.StdEncoding.DecodeString(text); err == nil {
				v[name] = string(plain)
			}
		}
	}
}
