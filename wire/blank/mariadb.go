package blank

import "locktorture/wire/frame"

// newMariaDB blanks the user of a client, and all its data until the server has accepted the login.
func newMariaDB() Blanker {
	p := &mariadb{}
	return pair{&framed{size: p.size, clean: p.request}, &framed{size: p.size, clean: p.reply}}
}

type mariadb struct {
	greeted, answered, entered bool
	secured                    bool // the following data is TLS
}

// The capabilities that a client announces before its user.
const (
	mariadbAbilities = 32
	mariadbTLS       = 1 << 3 // in the second byte
)

const comChangeUser = 0x11

func (p *mariadb) size(b []byte) (int, error) {
	if p.secured {
		return 0, errSecured
	}
	return frame.MariaDB(b)
}

func (p *mariadb) request(m []byte) []byte {
	switch {
	case !p.answered:
		if len(m) == 4+mariadbAbilities && m[5]&mariadbTLS != 0 {
			p.secured = true
			return m
		}
		p.answered = true
		return stars(m, 4+mariadbAbilities)
	case !p.entered:
		return stars(m, 4)
	case len(m) > 4 && m[4] == comChangeUser:
		p.entered = false
		return stars(m, 5)
	}
	return m
}

func (p *mariadb) reply(m []byte) []byte {
	switch {
	case !p.greeted:
		p.greeted = true
	case !p.entered && len(m) > 4 && m[4] == 0x00:
		p.entered = true
	}
	return m
}
