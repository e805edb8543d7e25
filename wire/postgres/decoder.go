// Package postgres decodes the traffic of PostgreSQL, in version 3 of the protocol.
//
// Source: https://www.postgresql.org/docs/current/protocol-message-formats.html
package postgres

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgproto3"

	"locktorture/wire"
	"locktorture/wire/frame"
)

var errNotPostgres = errors.New("not PostgreSQL")

// A Decoder decodes one connection.
type Decoder struct {
	wire.Base
	started  bool // the first message was seen or is missing
	asksTLS  int  // requests for TLS without an answer yet
	prepared map[string]string
	unit     string // the action of the messages before a Sync
}

var _ wire.Decoder = (*Decoder)(nil)

// New returns a decoder for a connection at its start.
func New() *Decoder { return &Decoder{prepared: map[string]string{}} }

// Decode implements wire.Decoder.
func (d *Decoder) Decode(reply bool, data []byte) []wire.Message {
	return d.Cut(reply, data, d.request, d.reply)
}

// Gap implements wire.Decoder.
func (d *Decoder) Gap() {
	d.Base.Gap()
	d.started, d.asksTLS, d.unit = true, 0, ""
}

func (d *Decoder) request(b []byte) (wire.Message, int, error) {
	if !d.started {
		return d.startup(b)
	}
	n, err := frame.Postgres(b, 1)
	if err != nil {
		return wire.Message{}, 0, checkType(b, err, "BCDEFHPQSXcdfp")
	}
	if b[0] == 'p' { // a password, in one of its forms
		return wire.Message{Name: "Password", Text: fmt.Sprintf("(%d bytes)", n-5)}, n, nil
	}
	m, err := pgproto3.NewBackend(bytes.NewReader(b[:n]), nil).Receive()
	if err != nil {
		return wire.Message{}, 0, err
	}
	name, text := d.asked(m)
	return wire.Message{Name: name, Text: text}, n, nil
}

// checkType returns an error if bytes cannot be a message.
func checkType(b []byte, err error, types string) error {
	if strings.IndexByte(types, b[0]) < 0 {
		return errNotPostgres
	}
	return err
}

// The requests that a client can send before its version.
const (
	askTLS    = 80877103
	askGSS    = 80877104
	askCancel = 80877102
)

func (d *Decoder) startup(b []byte) (wire.Message, int, error) {
	n, err := frame.Postgres(b, 0)
	if err != nil {
		return wire.Message{}, 0, err
	}
	if n < 8 {
		return wire.Message{}, 0, errNotPostgres
	}
	switch code := binary.BigEndian.Uint32(b[4:]); {
	case code == askTLS, code == askGSS:
		d.asksTLS++
		return wire.Message{Name: "SSLRequest"}, n, nil
	case code == askCancel:
		return wire.Message{Name: "CancelRequest"}, n, nil
	case code>>16 == 3:
		d.started = true
		d.Pairs.Ask("Startup")
		return wire.Message{Name: "Startup", Text: fmt.Sprintf("version 3.%d", code&0xffff)}, n, nil
	}
	return wire.Message{}, 0, errNotPostgres
}

// asked returns the text of a request.
func (d *Decoder) asked(m pgproto3.FrontendMessage) (name, text string) {
	name = strings.TrimPrefix(fmt.Sprintf("%T", m), "*pgproto3.")
	switch m := m.(type) {
	case *pgproto3.Query:
		text = wire.Line(m.String)
		d.Pairs.Ask(text)
	case *pgproto3.Parse:
		text = wire.Line(m.Query)
		d.prepared[m.Name], d.unit = text, text
		if m.Name != "" {
			text = wire.Word(m.Name) + ": " + text
		}
	case *pgproto3.Bind:
		d.unit = strings.TrimSpace(d.prepared[m.PreparedStatement] + " " + values(shown(m)))
		text = d.unit
	case *pgproto3.Describe:
		text = string(m.ObjectType) + " " + wire.Word(m.Name)
	case *pgproto3.Close:
		text = string(m.ObjectType) + " " + wire.Word(m.Name)
	case *pgproto3.Sync:
		d.Pairs.Ask(d.unit)
		d.unit = ""
	}
	return name, text
}

// shown returns the parameters as text. One in binary format that has the length of an integer is taken
// for one: its type is not in the message.
func shown(m *pgproto3.Bind) [][]byte {
	all := slices.Clone(m.Parameters)
	for i, v := range all {
		var binaryFormat bool
		switch codes := m.ParameterFormatCodes; len(codes) {
		case 0: // all are text
		case 1:
			binaryFormat = codes[0] == 1
		default:
			binaryFormat = i < len(codes) && codes[i] == 1
		}
		if !binaryFormat {
			continue
		}
		switch len(v) {
		case 2:
			all[i] = strconv.AppendInt(nil, int64(int16(binary.BigEndian.Uint16(v))), 10)
		case 4:
			all[i] = strconv.AppendInt(nil, int64(int32(binary.BigEndian.Uint32(v))), 10)
		case 8:
			all[i] = strconv.AppendInt(nil, int64(binary.BigEndian.Uint64(v)), 10)
		}
	}
	return all
}

// values returns the text of parameters, or of the columns of a row.
func values(all [][]byte) string {
	var out []string
	for i, v := range all {
		if i == 20 {
			out = append(out, "…")
			break
		}
		if v == nil {
			out = append(out, "NULL")
			continue
		}
		out = append(out, wire.Word(string(v)))
	}
	return "[" + strings.Join(out, " ") + "]"
}

func (d *Decoder) reply(b []byte) (wire.Message, int, error) {
	if d.asksTLS > 0 && (b[0] == 'N' || b[0] == 'S' || b[0] == 'G') {
		d.asksTLS--
		return wire.Message{Name: string(b[0]), Text: "(TLS)", Of: "SSLRequest"}, 1, nil
	}
	n, err := frame.Postgres(b, 1)
	if err != nil {
		return wire.Message{}, 0, checkType(b, err, "123ACDEGHIKNRSTVWZcdnstv")
	}
	if b[0] == 'R' && n >= 9 { // a request for authentication
		code := binary.BigEndian.Uint32(b[5:])
		return wire.Message{Name: "Authentication", Text: map[uint32]string{0: "ok", 3: "password", 5: "md5", 10: "SASL", 11: "SASL continue", 12: "SASL final"}[code], Of: d.Pairs.Next()}, n, nil
	}
	m, err := pgproto3.NewFrontend(bytes.NewReader(b[:n]), nil).Receive()
	if err != nil {
		return wire.Message{}, 0, err
	}
	out := wire.Message{Name: strings.TrimPrefix(fmt.Sprintf("%T", m), "*pgproto3."), Text: told(m)}
	switch m.(type) {
	case *pgproto3.ReadyForQuery:
		out.Of = d.Pairs.Answered()
	case *pgproto3.NotificationResponse, *pgproto3.ParameterStatus, *pgproto3.NoticeResponse: // sent at any time
	default:
		out.Of = d.Pairs.Next()
	}
	return out, n, nil
}

// told returns the text of a reply.
func told(m pgproto3.BackendMessage) string {
	switch m := m.(type) {
	case *pgproto3.DataRow:
		return values(m.Values)
	case *pgproto3.CommandComplete:
		return wire.Word(string(m.CommandTag))
	case *pgproto3.ErrorResponse:
		return wire.Word(m.Severity) + " " + wire.Word(m.Code) + " " + wire.Word(m.Message)
	case *pgproto3.NoticeResponse:
		return wire.Word(m.Severity) + " " + wire.Word(m.Code) + " " + wire.Word(m.Message)
	case *pgproto3.ParameterStatus:
		return wire.Word(m.Name) + " " + wire.Word(m.Value)
	case *pgproto3.ReadyForQuery:
		return map[byte]string{'I': "idle", 'T': "in a transaction", 'E': "in a failed transaction"}[m.TxStatus]
	case *pgproto3.NotificationResponse:
		return wire.Word(m.Channel) + " " + wire.Word(m.Payload)
	case *pgproto3.RowDescription:
		return fmt.Sprintf("%d columns", len(m.Fields))
	}
	return ""
}
