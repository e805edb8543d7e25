package s3

import (
	"encoding/json"
	"time"
)

// A record is the body of an object. Two records of one lock are never equal, so no two have the
// same ETag: each grant has a new owner, and each write increments a counter.
type record struct {
	// Owner is "" if the lock is free.
	Owner string `json:"owner"`
	Token uint64 `json:"token,omitempty"`
	Write uint64 `json:"write,omitempty"`
	// Milliseconds is the TTL in ms.
	Milliseconds int64 `json:"ttl_ms,omitempty"`
	// Expires is the end of the lease by the holder's clock.
	Expires time.Time `json:"expires,omitzero"`
}

// parse parses the body of an object.
func parse(body []byte) (r record, err error) {
	err = json.Unmarshal(body, &r)
	return r, err
}

// bytes returns the body of an object with this record.
func (r record) bytes() []byte {
	b, err := json.Marshal(r)
	if err != nil {
		panic(err) // a record always has a JSON form
	}
	return b
}

func (r record) ttl() time.Duration { return time.Duration(r.Milliseconds) * time.Millisecond }

// milliseconds rounds up, because a waiter must not wait for less time than the holder relies on.
func milliseconds(ttl time.Duration) int64 {
	return (ttl + time.Millisecond - 1).Milliseconds()
}

// next returns the record that a holder writes after this one.
func (r record) next(expires time.Time) record {
	r.Write++
	r.Expires = expires
	return r
}

// freed returns the record that a release writes. It keeps the token, so that tokens continue.
func (r record) freed() record { return record{Token: r.Token, Write: r.Write + 1} }
