package blank

import (
	"encoding/binary"

	"locktorture/wire/frame"
)

// newPostgres blanks a client's first message (with its user), its passwords and the data derived
// from them, and the server's data on those.
func newPostgres() Blanker {
	p := &postgres{}
	return pair{&framed{size: p.requestSize, clean: p.request}, &framed{size: p.replySize, clean: p.reply}}
}

type postgres struct {
	started bool
	asksTLS int
	secured bool // the following data is TLS
}

// The requests that a client can send before its user.
const (
	postgresTLS = 80877103
	postgresGSS = 80877104
)

func (p *postgres) requestSize(b []byte) (int, error) {
	switch {
	case p.secured:
		return 0, errSecured
	case !p.started:
		return frame.Postgres(b, 0)
	}
	return frame.Postgres(b, 1)
}

func (p *postgres) request(m []byte) []byte {
	if p.started {
		if m[0] == 'p' {
			return stars(m, 5)
		}
		return m
	}
	if len(m) >= 8 {
		switch binary.BigEndian.Uint32(m[4:]) {
		case postgresTLS, postgresGSS:
			p.asksTLS++
			return m
		}
	}
	p.started = true
	return stars(m, 8)
}

func (p *postgres) replySize(b []byte) (int, error) {
	switch {
	case p.asksTLS > 0:
		return 1, nil
	case p.secured:
		return 0, errSecured
	}
	return frame.Postgres(b, 1)
}

func (p *postgres) reply(m []byte) []byte {
	if p.asksTLS > 0 {
		p.asksTLS--
		p.secured = m[0] != 'N'
		return m
	}
	if m[0] == 'R' {
		return stars(m, 9)
	}
	return m
}
