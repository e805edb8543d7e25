package blank

import "bytes"

// A Blanker takes the secrets out of one connection, from its begin. It is used by one
// goroutine at a time.
type Blanker interface {
	// Blank returns what may be written of the data of one direction. It does not change data.
	Blank(reply bool, data []byte) []byte
}

// Blank stands for each byte that is not told.
const Blank = '*'

// For returns the blanker of a connection; nil for "", a protocol that has no secrets.
func For(protocol string) Blanker {
	switch protocol {
	case "":
		return nil
	case "redis":
		return newRedis()
	case "memcached":
		return newMemcached()
	case "consul", "s3":
		return newHTTP()
	case "postgres":
		return newPostgres()
	case "mariadb":
		return newMariaDB()
	case "etcd":
		return newEtcd()
	case "zookeeper":
		return newZooKeeper()
	}
	return all{}
}

// all tells nothing.
type all struct{}

func (all) Blank(_ bool, data []byte) []byte { return bytes.Repeat([]byte{Blank}, len(data)) }

// A known blanks texts that are known to be secrets, wherever they stand in one chunk, and
// then what its protocol has.
type known struct {
	Blanker
	texts [][]byte
}

// Known adds texts that are secrets to a blanker.
func Known(b Blanker, secrets ...string) Blanker {
	k := known{Blanker: b}
	for _, s := range secrets {
		if len(s) > 2 { // shorter ones stand everywhere
			k.texts = append(k.texts, []byte(s))
		}
	}
	if b == nil || len(k.texts) == 0 {
		return b
	}
	return k
}

// Blank implements Blanker.
func (k known) Blank(reply bool, data []byte) []byte {
	data = k.Blanker.Blank(reply, data)
	for _, text := range k.texts {
		if bytes.Contains(data, text) {
			data = bytes.ReplaceAll(data, text, bytes.Repeat([]byte{Blank}, len(text)))
		}
	}
	return data
}

// A cover is data that is copied when the first byte of it is blanked.
type cover struct {
	data   []byte
	copied bool
}

func (c *cover) blank(from, to int) {
	if from >= to {
		return
	}
	if !c.copied {
		c.data, c.copied = bytes.Clone(c.data), true
	}
	for i := from; i < to; i++ {
		c.data[i] = Blank
	}
}
