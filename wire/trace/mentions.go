package trace

// Mentions reports whether the message of a row, or the request that it answers, has a name as
// a whole word.
func (r Row) Mentions(name string) bool { return r.message.Mentions(name) }
