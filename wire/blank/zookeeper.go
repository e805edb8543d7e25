package blank

import (
	"encoding/binary"

	"locktorture/wire/frame"
)

// newZooKeeper blanks the passwords of sessions, the credentials of clients, and the users in
// access control lists.
func newZooKeeper() Blanker {
	connects, answers := true, true
	return pair{
		&framed{size: frame.ZooKeeper, clean: func(m []byte) []byte {
			if connects {
				connects = false
				return stars(m, 4+28) // version, zxid, timeout, session, length of the password
			}
			return zooKeeperRequest(m)
		}},
		&framed{size: frame.ZooKeeper, clean: func(m []byte) []byte {
			if answers {
				answers = false
				return stars(m, 4+20) // version, timeout, session, length of the password
			}
			return m
		}},
	}
}

// The operations of ZooKeeper that may contain secrets.
const (
	zooCreate, zooCreate2, zooCreateContainer, zooCreateTTL = 1, 15, 19, 21
	zooSetACL                                               = 7
	zooMulti                                                = 14
	zooAuth, zooSASL                                        = 100, 102
)

func zooKeeperRequest(m []byte) []byte {
	if len(m) < 12 {
		return m
	}
	switch op := binary.BigEndian.Uint32(m[8:]); op {
	case zooAuth, zooSASL, zooSetACL:
		return stars(m, 12)
	case zooCreate, zooCreate2, zooCreateContainer, zooCreateTTL:
		blankACL(m, 12)
	case zooMulti:
		blankMulti(m, 12)
	}
	return m
}

// skip returns the position after the string at a position, or -1 if there is no string.
func skip(m []byte, at int) int {
	if at < 0 || at+4 > len(m) {
		return -1
	}
	n := int(int32(binary.BigEndian.Uint32(m[at:])))
	if at += 4 + max(n, 0); n < -1 || at > len(m) {
		return -1
	}
	return at
}

// blankACL blanks the users in the access control list of a create, and returns the position of its
// flags. It blanks all data that is no create.
func blankACL(m []byte, at int) int {
	from := at
	at = skip(m, skip(m, at)) // path, data
	if at < 0 || at+4 > len(m) {
		stars(m, from)
		return -1
	}
	n := int(int32(binary.BigEndian.Uint32(m[at:])))
	at += 4
	for range n {
		user := skip(m, at+4) // permissions, scheme
		at = skip(m, user)
		if user < 0 || at < 0 {
			stars(m, from)
			return -1
		}
		for i := user + 4; i < at; i++ {
			m[i] = Blank
		}
	}
	return at
}

// blankMulti blanks the users in the parts of a multi. It blanks all data after an unknown part.
func blankMulti(m []byte, at int) {
	for at >= 0 && at+9 <= len(m) && m[at+4] == 0 {
		op := int32(binary.BigEndian.Uint32(m[at:]))
		at += 9
		from := at
		switch op {
		case zooCreate, zooCreate2, zooCreateContainer:
			at = blankACL(m, at) + 4
		case zooCreateTTL:
			at = blankACL(m, at) + 12
		case 2, 13: // delete, check
			at = skip(m, at) + 4
		case 5: // setData
			at = skip(m, skip(m, at)) + 4
		default:
			at = -1
		}
		if at <= from {
			stars(m, from)
			return
		}
	}
}
