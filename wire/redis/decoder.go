package redis

import (
	"slices"
	"strings"

	"locktorture/internal/resp"
	"locktorture/wire"
)

// A Decoder decodes one connection.
type Decoder struct {
	scripts *Scripts
	wire.Base
	subscribed bool // RESP 2 marks pushes only by their first word
}

var _ wire.Decoder = (*Decoder)(nil)

// New returns a decoder for a connection at its start. scripts are shared by all connections.
func New(scripts *Scripts) *Decoder { return &Decoder{scripts: scripts} }

// Decode implements wire.Decoder.
func (d *Decoder) Decode(reply bool, data []byte) []wire.Message {
	return d.Cut(reply, data, d.request, d.reply)
}

func (d *Decoder) request(b []byte) (wire.Message, int, error) {
	args, n, err := command(b)
	if err != nil || len(args) == 0 {
		return wire.Message{Name: "(empty)"}, n, err
	}
	m := wire.Message{Name: strings.ToUpper(wire.Word(args[0])), Text: d.scripts.text(args)}
	if strings.Contains(m.Name, "SUBSCRIBE") { // each channel is confirmed as a push
		d.subscribed = true
		return m, n, nil
	}
	d.Pairs.Ask(m.String())
	return m, n, nil
}

func (d *Decoder) reply(b []byte) (wire.Message, int, error) {
	v, n, err := resp.Parse(b)
	if err != nil {
		return wire.Message{}, 0, short(err)
	}
	if v.Kind == '>' || d.subscribed && pushed(v) {
		return wire.Message{Name: "push", Text: wire.Line(text(v))}, n, nil
	}
	return wire.Message{Name: wire.Line(text(v)), Of: d.Pairs.Answered()}, n, nil
}

// pushed reports whether a reply of RESP 2 is a push, or confirms a subscription.
func pushed(v resp.Value) bool {
	return slices.Contains([]string{
		"message", "pmessage", "smessage", "subscribe", "psubscribe", "ssubscribe", "unsubscribe", "punsubscribe", "sunsubscribe",
	}, first(v))
}
