package wire

// A Base is what decoders have in common: the two directions of a connection, and the requests
// whose replies are to come. The zero Base is at the begin of a connection.
type Base struct {
	Pairs             Pairs // of protocols whose replies come in the order of requests
	requests, replies Stream
}

// A Parse returns the message at the begin of b and how many bytes it takes, or ErrShort.
type Parse func(b []byte) (m Message, n int, err error)

// Cut is Decode for a decoder that takes requests and replies apart in this way.
func (b *Base) Cut(reply bool, data []byte, request, answer Parse) []Message {
	if reply {
		b.replies.reply = true
		return b.replies.Cut(data, answer)
	}
	return b.requests.Cut(data, request)
}

// Gap implements Decoder.
func (b *Base) Gap() {
	b.requests.Forget()
	b.replies.Forget()
	b.Pairs.Gap()
}
