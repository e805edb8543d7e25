package s3

import (
	"encoding/json"
	"time"
)

// A record is the body of an object. Two records of one lock are never equal, so that no two
// have the same ETag: an owner is new with each grant, and each write counts on.
type record struct {
	Owner string `json:"owner"` // "": nobody has the lock
	Token uint64 `json:"token,omitempty"`
	Write uint64 `json:"write,omitempty"`
	// Milliseconds is the TTL.
	Milliseconds int64     `json:"ttl_ms,omitempty"`
	Expires      time.Time `json:"expires,omitzero"` // by the holder's clock
}

func parse(body []byte) (r record, err error) {
	err = json.Unmarshal(body, &r)
	return r, err
}

func (r record) bytes() []byte {
	b, err := json.Marshal(r)
	if err != nil {
		panic(err) // it has nothing that JSON has not
	}
	return b
}

func (r record) ttl() time.Duration { return time.Duration(r.Milliseconds) * time.Millisecond }

// milliseconds rounds up: nobody may wait for less than the holder counts on.
func milliseconds(ttl time.Duration) int64 {
	return (ttl + time.Millisecond - 1).Milliseconds()
}

// next returns the record that a holder writes after this one.
func (r record) next(expires time.Time) record {
	r.Write++
	r.Expires = expires
	return r
}

// freed returns the record that a holder leaves behind: the tokens go on.
func (r record) freed() record { return record{Token: r.Token, Write: r.Write + 1} }
