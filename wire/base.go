package wire

// A Base is the common part of decoders: the two directions of a connection, and the requests
// without a reply yet. The zero Base is at the start of a connection.
type Base struct {
	Pairs             Pairs // for protocols whose replies arrive in the order of requests
	requests, replies Stream
}

// A Parse returns the first message of b and its length, or ErrShort if the message is incomplete.
type Parse func(b []byte) (m Message, n int, err error)

// Cut implements Decode for a decoder that parses requests and replies with these functions. Nobody
// knows how many messages are in data that cannot be decoded, so no later reply has a request.
func (b *Base) Cut(reply bool, data []byte, request, answer Parse) []Message {
	s, parse := &b.requests, request
	if reply {
		s, parse = &b.replies, answer
		s.reply = true
	}
	out := s.Cut(data, parse)
	if b.Broken() {
		b.Pairs.Lose()
	}
	return out
}

// Broken reports that some data could not be decoded, so replies cannot be counted any more.
func (b *Base) Broken() bool { return b.requests.broken || b.replies.broken }

// Gap implements Decoder.
func (b *Base) Gap() {
	b.requests.Forget()
	b.replies.Forget()
	b.Pairs.Gap()
}
