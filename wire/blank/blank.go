package blank

import "bytes"

// A Blanker removes the secrets of one connection, from its start. It is used by one goroutine at a
// time.
type Blanker interface {
	// Blank returns the data of one direction without secrets. It does not change data.
	Blank(reply bool, data []byte) []byte
}

// Blank replaces each byte of a secret.
const Blank = '*'

// For returns the blanker of a connection. It is nil for "", a protocol without secrets.
func For(protocol string) Blanker {
	switch protocol {
	case "":
		return nil
	case "redis":
		return newRedis()
	case "memcached":
		return newMemcached()
	case "consul", "s3", "http":
		return newHTTP()
	case "postgres":
		return newPostgres()
	case "mariadb":
		return newMariaDB()
	case "etcd":
		return &etcdBlanker{}
	case "zookeeper":
		return newZooKeeper()
	}
	return all{}
}

// all blanks every byte.
type all struct{}

func (all) Blank(_ bool, data []byte) []byte { return bytes.Repeat([]byte{Blank}, len(data)) }

// A known blanks texts that are known to be secrets, anywhere within one chunk, and then the
// secrets of its protocol.
type known struct {
	Blanker
	texts [][]byte
}

// Known adds secret texts to a blanker.
func Known(b Blanker, secrets ...string) Blanker {
	k := known{Blanker: b}
	for _, s := range secrets {
		if len(s) > 2 { // shorter ones would match everywhere
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

// A cover is data that is copied before the first change.
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
